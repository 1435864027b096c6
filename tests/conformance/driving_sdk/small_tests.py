"""Operators of DrivingSDK on small shapes, against references of our own in numpy and PyTorch: its own tests are sized
for a real chip, and an emulated one takes minutes for many of them."""

import numpy as np
import torch
from torch_npu.testing.testcase import TestCase

import mx_driving

RANDOM = np.random.default_rng(20261124)


def uniform(low, high, *shape):
    return torch.from_numpy(RANDOM.uniform(low, high, shape).astype(np.float32))


def integers(low, high, *shape):
    return torch.from_numpy(RANDOM.integers(low, high, shape).astype(np.int32))


def gradient(output, inputs, weight):
    return torch.autograd.grad((output * weight).sum(), inputs)


class Elementwise(TestCase):
    def test_add_relu(self):
        x, y = uniform(-1, 1, 37, 65), uniform(-1, 1, 37, 65)
        wanted = torch.relu(x + y)
        self.assertRtolEqual(mx_driving._C.npu_add_relu(x.clone(), y), wanted)

    def test_fused_bias_leaky_relu(self):
        x, bias = uniform(-2, 2, 48, 16, 512), uniform(-1, 1, 16)
        summed = x + bias.reshape(1, 16, 1)
        wanted = torch.where(summed > 0, summed, summed * 0.3) * 1.5
        self.assertRtolEqual(mx_driving.npu_fused_bias_leaky_relu(x, bias, 0.3, 1.5), wanted)

    def test_max_pool2d(self):
        x = uniform(-3, 3, 1, 64, 12, 20)  # fewer channels go to an operator of the vendor's library
        self.assertRtolEqual(mx_driving.npu_max_pool2d(x, 3, 2, 1), torch.nn.functional.max_pool2d(x, 3, 2, 1))

    def test_fake_tensor_quant(self):
        x, amax = uniform(-2, 2, 7, 33), torch.tensor([1.5])
        scale = 127.0 / 1.5
        wanted = torch.clamp(torch.round(x * scale), -128, 127) / scale
        self.assertRtolEqual(mx_driving.npu_fake_tensor_quant(x, amax, 8, False, False), wanted)


class Points(TestCase):
    def test_knn(self):
        xyz, center = uniform(0, 10, 1, 150, 3), uniform(0, 10, 1, 20, 3)
        distance = ((center[:, :, None, :] - xyz[:, None, :, :]) ** 2).sum(-1)
        wanted = torch.argsort(distance, dim=-1)[..., :5].transpose(1, 2).int()
        self.assertRtolEqual(mx_driving.knn(5, xyz, center, False), wanted)

    def test_furthest_point_sampling(self):
        xyz = uniform(0, 10, 2, 120, 3)
        wanted = np.zeros((2, 16), np.int32)
        for b in range(2):
            points, nearest, last = xyz[b].numpy(), np.full(120, 1e10, np.float32), 0
            for i in range(1, 16):
                nearest = np.minimum(nearest, ((points - points[last]) ** 2).sum(-1))
                last = wanted[b, i] = nearest.argmax()
        self.assertRtolEqual(mx_driving.furthest_point_sampling(xyz, 16), wanted)

    def test_furthest_point_sampling_with_dist(self):
        distance = uniform(0, 10, 1, 100, 100)
        wanted, nearest, last = np.zeros((1, 12), np.int32), np.full(100, 1e10, np.float32), 0
        for i in range(1, 12):
            nearest = np.minimum(nearest, distance[0, last].numpy())
            last = wanted[0, i] = nearest.argmax()
        self.assertRtolEqual(mx_driving.furthest_point_sample_with_dist(distance, 12), wanted)

    def test_group_points_and_gradient(self):
        features, indices = uniform(-1, 1, 2, 24, 50).requires_grad_(), integers(0, 50, 2, 9, 4)
        wanted = torch.gather(features[:, :, None, :].expand(2, 24, 9, 50), 3,
                              indices[:, None].long().expand(2, 24, 9, 4))
        weight = uniform(-1, 1, 2, 24, 9, 4)
        output = mx_driving.group_points(features, indices)
        self.assertRtolEqual(output, wanted)
        self.assertRtolEqual(gradient(output, features, weight)[0], gradient(wanted, features, weight)[0])

    def boxes_and_points(self, count, lower_side):
        """Boxes, points, which are inside. `lower_side`: z of a box is that of its lower side, not of its middle."""
        boxes = torch.cat([uniform(-5, 5, 1, count, 3), uniform(2, 6, 1, count, 3), uniform(-3, 3, 1, count, 1)], -1)
        points = uniform(-6, 6, 1, 200, 3)
        inside = np.zeros((200, count), np.int32)
        for j, (cx, cy, cz, dx, dy, dz, angle) in enumerate(boxes[0].numpy().astype(np.float64)):
            x, y, z = points[0].numpy().astype(np.float64).T - np.array([[cx], [cy], [cz]])
            along = x * np.cos(-angle) - y * np.sin(-angle)
            across = x * np.sin(-angle) + y * np.cos(-angle)
            z = z - dz / 2 if lower_side else z
            inside[:, j] = (abs(along) < dx / 2) & (abs(across) < dy / 2) & (abs(z) <= dz / 2)
        return boxes, points, inside

    def test_points_in_boxes_all(self):
        boxes, points, inside = self.boxes_and_points(6, True)
        self.assertRtolEqual(mx_driving.points_in_boxes_all(boxes, points)[0], inside)

    def test_points_in_box(self):
        boxes, points, inside = self.boxes_and_points(6, False)
        wanted = np.where(inside.any(1), inside.argmax(1), -1).astype(np.int32)
        self.assertRtolEqual(mx_driving.points_in_box(boxes, points)[0], wanted)


class Scatter(TestCase):
    def setUp(self):
        self.src, self.index = uniform(-3, 3, 90, 16).requires_grad_(), integers(0, 20, 90)
        self.index[-1] = 19
        self.weight = uniform(-1, 1, 20, 16)

    def test_scatter_add_and_gradient(self):
        wanted = torch.zeros(20, 16).index_add(0, self.index.long(), self.src)
        output = mx_driving.scatter_add(self.src, self.index, None, 0, 20)
        self.assertRtolEqual(output, wanted)
        self.assertRtolEqual(gradient(output, self.src, self.weight)[0], gradient(wanted, self.src, self.weight)[0])

    def test_scatter_mean_and_gradient(self):
        count = torch.bincount(self.index.long(), minlength=20).clamp(min=1)[:, None]
        wanted = torch.zeros(20, 16).index_add(0, self.index.long(), self.src) / count
        output = mx_driving.scatter_mean(self.src, self.index, None, 0, 20)
        self.assertRtolEqual(output, wanted)
        self.assertRtolEqual(gradient(output, self.src, self.weight)[0], gradient(wanted, self.src, self.weight)[0])

    def test_scatter_max(self):
        self.index[:20] = torch.arange(20)
        src = uniform(-3, 3, 90, 64)
        wanted = torch.full((20, 64), -np.inf).scatter_reduce(0, self.index.long()[:, None].expand(90, 64), src, "amax")
        output, argmax = mx_driving.scatter_max(src, self.index[:, None].clone())
        self.assertRtolEqual(output, wanted)
        self.assertRtolEqual(torch.gather(src, 0, argmax.long()), wanted)

    def test_graph_softmax(self):
        src, index = uniform(-2, 2, 80, 8), integers(0, 12, 80)
        index[:12] = torch.arange(12)
        wanted = torch.zeros(80, 8)
        for node in range(12):
            wanted[index == node] = torch.softmax(src[index == node], 0)
        self.assertRtolEqual(mx_driving.graph_softmax(src, index), wanted)


class Voxels(TestCase):
    def test_voxel_pooling_and_gradient(self):
        geometry = integers(0, 6, 1, 70, 3)
        geometry[..., 2] = 0
        features = uniform(-1, 1, 1, 70, 32).requires_grad_()
        at = (geometry[0, :, 1] * 8 + geometry[0, :, 0]).long()
        wanted = torch.zeros(48, 32).index_add(0, at, features[0]).reshape(1, 6, 8, 32).permute(0, 3, 1, 2)
        output = mx_driving.npu_voxel_pooling_train(geometry, features, [8, 6, 1])
        self.assertRtolEqual(output, wanted)
        weight = uniform(-1, 1, 1, 32, 6, 8)
        self.assertRtolEqual(gradient(output, features, weight)[0], gradient(wanted, features, weight)[0])

    def dynamic_scatter(self, kind):
        coordinates, features = integers(0, 4, 60, 3), uniform(-2, 2, 60, 16)
        places, which = torch.unique(coordinates, dim=0, return_inverse=True)
        shape = (places.shape[0], 16)
        reduced = torch.zeros(shape).scatter_reduce(0, which[:, None].expand(60, 16), features,
                                                    {"max": "amax", "sum": "sum", "mean": "mean"}[kind],
                                                    include_self=False)
        voxels, found = mx_driving.dynamic_scatter(features, coordinates, kind)
        order = np.lexsort(found.numpy().T[::-1])
        self.assertRtolEqual(found[order], places)
        self.assertRtolEqual(voxels[order], reduced)

    def test_dynamic_scatter_max(self):
        self.dynamic_scatter("max")

    def test_dynamic_scatter_sum(self):
        self.dynamic_scatter("sum")

    def test_dynamic_scatter_mean(self):
        self.dynamic_scatter("mean")

    def test_bev_pool_and_gradient(self):
        features = uniform(-1, 1, 64, 32).requires_grad_()
        geometry = torch.stack([integers(0, 5, 64), integers(0, 7, 64), torch.zeros(64, dtype=torch.int32),
                                torch.zeros(64, dtype=torch.int32)], 1)
        at = (geometry[:, 0] * 7 + geometry[:, 1]).long()
        wanted = torch.zeros(35, 32).index_add(0, at, features).reshape(1, 5, 7, 32)
        output = mx_driving.bev_pool(features, geometry, 1, 1, 5, 7)
        weight = uniform(-1, 1, 1, 32, 1, 5, 7)
        self.assertRtolEqual(output, wanted.permute(0, 3, 1, 2)[:, :, None])
        self.assertRtolEqual(gradient(output, features, weight)[0],
                             gradient(wanted.permute(0, 3, 1, 2)[:, :, None], features, weight)[0])


class Sampling(TestCase):
    def test_grid_sampler2d(self):
        x, grid = uniform(-1, 1, 2, 8, 9, 11), uniform(-1, 1, 2, 6, 7, 2)
        wanted = torch.nn.functional.grid_sample(x, grid, "bilinear", "zeros", False)
        self.assertRtolEqual(mx_driving.grid_sampler2d_v2(x, grid, "bilinear", "zeros", False), wanted)

    def test_multi_scale_deformable_attention(self):
        shapes = [(6, 8), (3, 4)]
        heads, width, queries, points = 4, 32, 16, 4
        value = uniform(-1, 1, 1, 60, heads, width)
        locations, weights = uniform(0, 1, 1, queries, heads, 2, points, 2), uniform(0, 1, 1, queries, heads, 2, points)
        parts, sampled = value.split([h * w for h, w in shapes], dim=1), []
        for level, (h, w) in enumerate(shapes):
            image = parts[level].flatten(2).transpose(1, 2).reshape(heads, width, h, w)
            grid = (2 * locations[:, :, :, level] - 1).transpose(1, 2).flatten(0, 1)
            sampled.append(torch.nn.functional.grid_sample(image, grid, "bilinear", "zeros", False))
        attention = weights.transpose(1, 2).reshape(heads, 1, queries, 2 * points)
        wanted = (torch.stack(sampled, -2).flatten(-2) * attention).sum(-1).view(1, heads * width, queries)
        shape = torch.tensor(shapes, dtype=torch.int32)
        starts = torch.tensor([0, 48], dtype=torch.int32)
        output = mx_driving.multi_scale_deformable_attn(value, shape, starts, locations, weights)
        self.assertRtolEqual(output, wanted.transpose(1, 2))
