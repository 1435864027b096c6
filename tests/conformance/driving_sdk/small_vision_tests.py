"""As small_tests.py: pooling into bird's-eye views, boxes, convolutions, gradients."""

import numpy as np
import torch
from torch_npu.testing.testcase import TestCase

import mx_driving
from small_tests import RANDOM, gradient, integers, uniform


class Elementwise(TestCase):
    def test_hypot_and_gradient(self):
        x, y = uniform(1, 3, 17, 40).requires_grad_(), uniform(1, 4, 17, 40).requires_grad_()
        output, wanted, weight = mx_driving.hypot(x, y), torch.hypot(x, y), uniform(-1, 1, 17, 40)
        self.assertRtolEqual(output, wanted)
        for mine, other in zip(gradient(output, (x, y), weight), gradient(wanted, (x, y), weight)):
            self.assertRtolEqual(mine, other)

    def test_fake_tensor_quant_with_axis(self):
        x, amax = uniform(-2, 2, 6, 48), uniform(1, 2, 6)
        scale = 127.0 / amax[:, None]
        wanted = torch.clamp(torch.round(x * scale), -127, 127) / scale
        self.assertRtolEqual(mx_driving.npu_fake_tensor_quant_with_axis(x, amax, 0, 8, False, True), wanted)

    def test_graph_softmax_gradient(self):
        src, index = uniform(-2, 2, 80, 8).requires_grad_(), integers(0, 12, 80)
        index[:12] = torch.arange(12)
        power = torch.exp(src)
        wanted = power / torch.zeros(12, 8).index_add(0, index.long(), power)[index.long()]
        weight = uniform(-1, 1, 80, 8)
        output = mx_driving.graph_softmax(src, index)
        self.assertRtolEqual(gradient(output, src, weight)[0], gradient(wanted, src, weight)[0])


class BirdsEye(TestCase):
    """out[bev] += depth * features, over lists of places."""

    def setUp(self):
        self.depth, self.features = uniform(0, 1, 1, 1, 4, 5, 6), uniform(-1, 1, 1, 1, 5, 6, 64)
        self.depth.requires_grad_(), self.features.requires_grad_()
        self.places = [torch.from_numpy(RANDOM.permutation(120)[:90].astype(np.int32)),  # a depth is used once
                       integers(0, 30, 90), torch.sort(integers(0, 40, 90)).values]
        depth, feature, bev = (one.long() for one in self.places)
        rows = self.depth.reshape(-1)[depth][:, None] * self.features.reshape(30, 64)[feature]
        self.wanted = torch.zeros(40, 64).index_add(0, bev, rows)
        self.shape = (1, 1, 5, 8, 64)

    def check(self, output, gradients):
        output = output.reshape(64, 40).t() if output.shape[1] == 64 else output.reshape(40, 64)
        self.assertRtolEqual(output, self.wanted)
        if not gradients:
            return
        weight = uniform(-1, 1, 40, 64)
        for mine, other in zip(gradient(output, (self.depth, self.features), weight),
                               gradient(self.wanted, (self.depth, self.features), weight)):
            self.assertRtolEqual(mine, other)

    def test_bev_pool_v2(self):
        self.check(self.pool_v2(), False)

    def test_bev_pool_v2_gradient(self):
        self.check(self.pool_v2(), True)

    def pool_v2(self):
        bev = self.places[2]
        starts = torch.cat([torch.tensor([0]), torch.nonzero(bev[1:] != bev[:-1]).reshape(-1) + 1]).int()
        lengths = torch.diff(starts, append=torch.tensor([90], dtype=torch.int32)).int()
        return mx_driving.bev_pool_v2(self.depth, self.features, *self.places, self.shape, starts, lengths)

    def test_bev_pool_v3(self):
        self.check(mx_driving.bev_pool_v3(self.depth, self.features, *self.places, self.shape), True)


class Boxes(TestCase):
    """Boxes along the axes, so that overlaps are those of intervals."""

    def setUp(self):
        self.centres, self.sizes = uniform(0, 8, 12, 2), uniform(2, 4, 12, 2)
        low, high = self.centres - self.sizes / 2, self.centres + self.sizes / 2
        both = torch.minimum(high[:, None], high[None]) - torch.maximum(low[:, None], low[None])
        self.overlap = both.clamp(min=0).prod(-1)
        area = self.sizes.prod(-1)
        self.iou = self.overlap / (area[:, None] + area[None] - self.overlap)
        height = torch.ones(12, 1)
        self.solid = torch.cat([self.centres, height, self.sizes, height, 0 * height], 1)

    def test_box_iou_rotated(self):
        boxes = torch.cat([self.centres, self.sizes, torch.zeros(12, 1)], 1)
        self.assertRtolEqual(mx_driving.box_iou_rotated(boxes, boxes.flip(0)), self.iou.flip(1), 1e-3)

    def test_box_iou_quadri(self):
        corners = torch.tensor([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
        boxes = (self.centres[:, None] + corners * self.sizes[:, None]).reshape(12, 8)
        self.assertRtolEqual(mx_driving.box_iou_quadri(boxes, boxes.flip(0)), self.iou.flip(1), 1e-3)

    def test_boxes_iou_bev(self):
        self.assertRtolEqual(mx_driving.boxes_iou_bev(self.solid, self.solid.flip(0)), self.iou.flip(1), 1e-3)

    def kept(self, order, bound):
        left = []
        for one in order.tolist():
            if all(self.iou[one, other] <= bound for other in left):
                left.append(one)
        return np.array(left)

    def test_nms3d(self):
        scores = uniform(0, 1, 12)
        order = scores.sort(0, descending=True)[1]
        self.assertRtolEqual(mx_driving.nms3d(self.solid, scores, 0.2), self.kept(order, 0.2))

    def test_nms3d_normal(self):
        scores = uniform(0, 1, 12)
        order = scores.sort(0, descending=True)[1]
        self.assertRtolEqual(mx_driving.nms3d_normal(self.solid, scores, 0.2), self.kept(order, 0.2))


class Convolutions(TestCase):
    """Deformable convolutions without an offset are plain ones."""

    def setUp(self):
        self.x, self.kernel = uniform(-1, 1, 1, 64, 9, 10).requires_grad_(), uniform(-1, 1, 64, 64, 3, 3)
        self.kernel.requires_grad_()
        self.offset = torch.zeros(1, 18, 9, 10)
        self.wanted = torch.nn.functional.conv2d(self.x, self.kernel, None, 1, 1)

    def test_deform_conv2d(self):
        output = mx_driving.deform_conv2d(self.x, self.offset, self.kernel, 1, 1, 1, 1, 1)
        self.assertRtolEqual(output, self.wanted, 1e-3)

    def test_modulated_deform_conv2d(self):
        mask = torch.ones(1, 9, 9, 10)
        output = mx_driving.modulated_deform_conv2d(self.x, self.offset, mask, self.kernel, None, 1, 1, 1, 1, 1)
        self.assertRtolEqual(output, self.wanted, 1e-3)


class Gradients(TestCase):
    def test_grid_sampler2d(self):
        x, grid = uniform(-1, 1, 1, 8, 9, 11).requires_grad_(), uniform(-0.8, 0.8, 1, 6, 7, 2).requires_grad_()
        wanted = torch.nn.functional.grid_sample(x, grid, "bilinear", "zeros", False)
        output, weight = mx_driving.grid_sampler2d_v2(x, grid, "bilinear", "zeros", False), uniform(-1, 1, 1, 8, 6, 7)
        self.assertRtolEqual(output, wanted)
        for mine, other in zip(gradient(output, (x, grid), weight), gradient(wanted, (x, grid), weight)):
            self.assertRtolEqual(mine, other, 1e-3)

    def test_dynamic_scatter_sum(self):
        coordinates, features = integers(0, 4, 60, 3), uniform(-2, 2, 60, 16).requires_grad_()
        voxels, found = mx_driving.dynamic_scatter(features, coordinates, "sum")
        weight = uniform(-1, 1, *voxels.shape)
        which = (coordinates[:, None] == found[None].int()).all(-1).float().argmax(1)
        self.assertRtolEqual(gradient(voxels, features, weight)[0], weight[which])


class Voxels(TestCase):
    def test_dynamic_voxelization(self):
        points = torch.cat([uniform(-1, 5, 100, 3), uniform(0, 1, 100, 1)], 1)
        size, bounds = [0.5, 0.25, 1.0], [0, 0, 0, 4, 4, 4]
        wanted = torch.floor((points[:, :3] - torch.tensor(bounds[:3])) / torch.tensor(size)).int()
        outside = ((wanted < 0) | (wanted >= torch.tensor([8, 16, 4]))).any(1)
        wanted = wanted.flip(1)  # z, y, x
        wanted[outside] = -1
        self.assertRtolEqual(mx_driving.voxelization(points, size, bounds, -1, -1), wanted)
