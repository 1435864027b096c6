"""As small_tests.py: operators that sample images between their pixels, sparse convolutions, all with gradients."""

import numpy as np
import torch
from torch_npu.testing.testcase import TestCase

import mx_driving
import operator_calls
from small_tests import RANDOM, gradient, integers, uniform


def between(image, x, y):
    """Values of an image [C, H, W] at places between its pixels; nothing lies outside it."""
    _, height, width = image.shape
    left, top = torch.floor(x), torch.floor(y)
    total = 0
    for column, share_x in ((left, 1 - (x - left)), (left + 1, x - left)):
        for row, share_y in ((top, 1 - (y - top)), (top + 1, y - top)):
            inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
            value = image[:, row.long().clamp(0, height - 1), column.long().clamp(0, width - 1)]
            total = total + value * (share_x * share_y * inside)
    return total


def within(image, x, y):
    """As between, but up to one pixel outside an image the value is that of its edge."""
    _, height, width = image.shape
    inside = (x >= -1) & (x <= width) & (y >= -1) & (y <= height)
    return between(image, x.clamp(0, width - 1), y.clamp(0, height - 1)) * inside


class Case(TestCase):
    def both(self, output, wanted, inputs, bound=1e-4):
        """An output, then its gradients."""
        self.assertRtolEqual(output, wanted, bound)
        weight = uniform(-1, 1, *wanted.shape)
        for mine, other in zip(gradient(output, inputs, weight), gradient(wanted, inputs, weight)):
            self.assertRtolEqual(mine, other, bound)


class Attention(Case):
    def multi_scale_deformable_attention(self, width):
        shapes, heads, queries, points = [(6, 8), (3, 4)], 2, 9, 4
        value = uniform(-1, 1, 2, 60, heads, width).requires_grad_()
        places = uniform(-0.1, 1.1, 2, queries, heads, 2, points, 2).requires_grad_()
        weights = uniform(0, 1, 2, queries, heads, 2, points).requires_grad_()
        rows = []
        for b in range(2):
            for head in range(heads):
                found, start = 0, 0
                for level, (h, w) in enumerate(shapes):
                    image = value[b, start:start + h * w, head].T.reshape(width, h, w)
                    x, y = (places[b, :, head, level, :, i] * size - 0.5 for i, size in enumerate((w, h)))
                    found = found + (between(image, x, y) * weights[b, :, head, level]).sum(-1)
                    start += h * w
                rows.append(found.T)
        wanted = torch.stack(rows).reshape(2, heads, queries, width).transpose(1, 2).reshape(2, queries, heads * width)
        output = mx_driving.multi_scale_deformable_attn(value, torch.tensor(shapes, dtype=torch.int32),
                                                        torch.tensor([0, 48], dtype=torch.int32), places, weights)
        self.both(output, wanted, (value, places, weights), 1e-3)

    def test_multi_scale_deformable_attention(self):
        self.multi_scale_deformable_attention(16)

    def test_multi_scale_deformable_attention_of_12_channels(self):
        self.multi_scale_deformable_attention(12)  # no multiple of a block

    def test_geometric_kernel_attention(self):
        """Pixels, not places between them; what is outside an image is taken from its edge."""
        shapes, heads, width, queries, points = [(6, 8), (3, 4)], 4, 16, 10, 5
        value = uniform(-1, 1, 2, 60, heads, width).requires_grad_()
        places = integers(-3, 11, 2, queries, heads, 2, points, 2)
        weights = uniform(0, 1, 2, queries, heads, 2, points).requires_grad_()
        wanted = torch.zeros(2, queries, heads, width)
        batch, head = torch.arange(2)[:, None, None, None], torch.arange(heads)[None, None, :, None]
        for level, ((h, w), start) in enumerate(zip(shapes, (0, 48))):
            x, y = (places[:, :, :, level, :, i].long().clamp(0, size - 1) for i, size in enumerate((w, h)))
            picked = value[batch, start + y * w + x, head]
            wanted = wanted + (picked * weights[:, :, :, level, :, None]).sum(3)
        output = mx_driving.geometric_kernel_attention(value, torch.tensor(shapes, dtype=torch.int32),
                                                       torch.tensor([0, 48], dtype=torch.int32), places.float(),
                                                       weights)
        self.both(output, wanted.flatten(2), (value, weights))

    def test_deformable_aggregation(self):
        """Sums over points, cameras and scales; each of 8 groups of channels has its own weights."""
        shapes, cameras, anchors, points, channels = [(5, 7), (3, 4)], 2, 6, 3, 64
        features = uniform(-1, 1, 1, 2 * 47, channels).requires_grad_()
        places = uniform(0.05, 0.95, 1, anchors, points, cameras, 2).requires_grad_()
        weights = uniform(0, 1, 1, anchors, points, cameras, 2, 8).requires_grad_()
        starts, wanted = [[0, 35], [47, 82]], torch.zeros(anchors, channels)
        for camera in range(cameras):
            for scale, (h, w) in enumerate(shapes):
                start = starts[camera][scale]
                image = features[0, start:start + h * w].T.reshape(channels, h, w)
                x, y = (places[0, :, :, camera, i] * size - 0.5 for i, size in enumerate((w, h)))
                shares = weights[0, :, :, camera, scale].repeat_interleave(channels // 8, -1)
                wanted = wanted + (between(image, x, y).permute(1, 2, 0) * shares).sum(1)
        output = mx_driving.deformable_aggregation(features, torch.tensor([shapes] * 2, dtype=torch.int32),
                                                   torch.tensor(starts, dtype=torch.int32), places, weights)
        self.both(output, wanted[None], (features, places, weights), 1e-3)

    def test_assign_score_withk(self):
        """Differences of neighbours' features from those of the first, weighted, summed over the kernels."""
        points = uniform(-1, 1, 2, 20, 4, 8).requires_grad_()
        centres = uniform(-1, 1, 2, 20, 4, 8).requires_grad_()
        scores = uniform(0, 1, 2, 12, 5, 4).requires_grad_()
        near = torch.from_numpy(np.stack([[RANDOM.permutation(20)[:5] for _ in range(12)] for _ in range(2)]))
        batch = torch.arange(2)[:, None, None]
        apart = points[batch, near] - centres[batch, near[:, :, :1]]
        wanted = torch.einsum("bnkm,bnkmo->bonk", scores, apart)
        output = mx_driving.assign_score_withk(scores, points, centres, near, "sum")
        self.both(output, wanted, (scores, points, centres))


class Images(Case):
    def test_grid_sampler3d_gradient(self):
        x = uniform(-1, 1, 2, 8, 4, 5, 6).requires_grad_()
        grid = uniform(-0.9, 0.9, 2, 3, 4, 5, 3).requires_grad_()
        wanted = torch.nn.functional.grid_sample(x, grid, "bilinear", "zeros", True)
        self.both(mx_driving.grid_sampler3d_v1(x, grid, "bilinear", "zeros", True), wanted, (x, grid), 1e-3)

    def test_border_align(self):
        """The largest value along each of a box's four sides; a quarter of the channels for each side. Each of 48 cores
        reads 64 boxes, however few there are: hence this many."""
        batch, channels, height, width, pool = 3, 8, 32, 32, 2
        image = uniform(-1, 1, batch, 4 * channels, height, width).requires_grad_()
        low = uniform(0, 28, batch, 1024, 2)
        boxes = torch.cat([low, low + uniform(0.5, 5, batch, 1024, 2)], -1)
        share = torch.arange(pool + 1) / pool
        results = []
        for b in range(batch):
            x1, y1, x2, y2 = boxes[b].T[:, :, None]
            right, down, still = (x2 - x1) * share, (y2 - y1) * share, 0 * share
            sides = ((x1 + right, y1 + still), (x1 + still, y1 + down),
                     (x2 - right, y2 + still), (x2 + still, y2 - down))
            parts = image[b].reshape(4, channels, height, width)
            results.append(torch.stack([within(part, x, y).amax(-1) for part, (x, y) in zip(parts, sides)], -1))
        self.both(mx_driving.border_align(image, boxes, pool), torch.stack(results), (image,))

    def roi_align_rotated(self, aligned, clockwise):
        image = uniform(-1, 1, 2, 8, 9, 10).requires_grad_()
        rois = torch.cat([integers(0, 2, 7, 1).float(), uniform(3, 15, 7, 2), uniform(4, 12, 7, 2),
                          uniform(-1.5, 1.5, 7, 1)], 1)
        scale, samples, high, wide = 0.5, 2, 3, 4
        results = []
        for which, x, y, w, h, angle in rois:
            x, y = (one * scale - (0.5 if aligned else 0) for one in (x, y))
            w, h = (one * scale if aligned else (one * scale).clamp(min=1) for one in (w, h))
            across = ((torch.arange(wide * samples) + 0.5) / (wide * samples) - 0.5) * w
            down = ((torch.arange(high * samples) + 0.5) / (high * samples) - 0.5)[:, None] * h
            turn = -angle if clockwise else angle
            cos, sin = torch.cos(turn), torch.sin(turn)
            values = within(image[int(which)], across * cos + down * sin + x, down * cos - across * sin + y)
            results.append(values.reshape(8, high, samples, wide, samples).mean((2, 4)))
        output = mx_driving.roi_align_rotated(image, rois, scale, samples, high, wide, aligned, clockwise)
        self.both(output, torch.stack(results), (image,), 1e-3)

    def test_roi_align_rotated(self):
        self.roi_align_rotated(True, False)

    def test_roi_align_rotated_clockwise(self):
        self.roi_align_rotated(True, True)


class Deformable(Case):
    """Convolutions whose nine taps are each moved by an offset (down, right) and weighted by a mask."""

    def inputs(self, channels):
        return (uniform(-1, 1, 1, channels, 6, 7).requires_grad_(), uniform(-1.5, 1.5, 1, 18, 6, 7).requires_grad_(),
                uniform(0, 1, 1, 9, 6, 7).requires_grad_(), uniform(-0.2, 0.2, 64, channels, 3, 3).requires_grad_())

    @staticmethod
    def sampled(x, offset, mask):
        """[taps, channels, height, width]"""
        rows, columns = torch.meshgrid(torch.arange(6), torch.arange(7), indexing="ij")
        taps = [between(x[0], tap % 3 - 1 + columns + offset[0, 2 * tap + 1], tap // 3 - 1 + rows + offset[0, 2 * tap])
                for tap in range(9)]
        return torch.stack(taps) * mask[0][:, None]

    def reference(self, x, offset, mask, kernel):
        return torch.einsum("ockl,klchw->ohw", kernel, self.sampled(x, offset, mask).unflatten(0, (3, 3)))[None]

    def test_deform_conv2d(self):
        x, offset, mask, kernel = self.inputs(64)
        output = mx_driving.deform_conv2d(x, offset, kernel, 1, 1, 1, 1, 1)
        self.assertRtolEqual(output, self.reference(x, offset, torch.ones_like(mask), kernel), 1e-3)

    def modulated(self, channels):
        x, offset, mask, kernel = self.inputs(channels)
        output = mx_driving.modulated_deform_conv2d(x, offset, mask, kernel, None, 1, 1, 1, 1, 1)
        self.assertRtolEqual(output, self.reference(x, offset, mask, kernel), 2e-3)

    def test_modulated_deform_conv2d(self):
        self.modulated(64)

    def test_modulated_deform_conv2d_of_256_channels(self):
        self.modulated(256)  # goes to operators of its own

    def gradients(self, channels):
        """Inputs as the operators take them, the gradient of the output, what its gradients are."""
        x, offset, mask, kernel = self.inputs(channels)
        weight = uniform(-1, 1, 1, 64, 6, 7)
        wanted = gradient(self.reference(x, offset, mask, kernel), (x, kernel, offset, mask), weight)
        sampled = self.sampled(x, offset, mask).permute(2, 3, 0, 1).reshape(1, 42, 1, 9, channels)
        given = [one.detach().permute(0, 2, 3, 1).contiguous() for one in (x, offset, mask, kernel)]
        return given, sampled.detach().contiguous(), weight, wanted

    def test_modulated_gradient(self):
        """Not through the package: that gives 64 channels to an operator which takes the gradient of the output as
        [batch, height, channels, width] and leaves that of the offsets as the offsets are, but treats both as for 256
        channels."""
        (x, offset, mask, kernel), sampled, weight, wanted = self.gradients(64)
        found = [torch.zeros_like(one) for one in (x, kernel, offset, mask)]
        operator_calls.run("aclnnDeformableConv2dGrad", [
            x, kernel, None, offset, mask, sampled, weight.permute(0, 2, 1, 3).contiguous(), [3, 3], [1, 1], [1, 1],
            [1, 1], 1, 1, True, False, found[0], found[1], None, found[2], found[3]])
        for mine, other in zip(found, wanted):
            self.assertRtolEqual(mine.permute(0, 3, 1, 2), other, 2e-3)

    def test_modulated_gradient_of_256_channels(self):
        given, sampled, weight, wanted = self.gradients(256)
        found = mx_driving._C.modulated_deformable_conv2d_backward(
            *given, None, sampled, weight.permute(0, 2, 3, 1).contiguous(), [3, 3], [1, 1], [1, 1], [1, 1], 1, 1, False)
        for mine, other in zip((found[0], found[1], found[3].reshape(1, 18, 6, 7), found[4]), wanted):
            self.assertRtolEqual(mine, other, 2e-3)


class Sparse(Case):
    """Convolutions of a grid of 2 by 6 by 5 by 6 of which 40 cells hold features."""

    def setUp(self):
        cells = torch.from_numpy(np.sort(RANDOM.permutation(2 * 6 * 5 * 6)[:40]))
        self.places = torch.stack([cells // 180, cells // 30 % 6, cells // 6 % 5, cells % 6], 1).int()
        self.features = uniform(-1, 1, 40, 16).requires_grad_()

    def dense(self, features, places, shape):
        b, z, y, x = places.long().T
        return torch.zeros(2, *shape, features.shape[1]).index_put((b, z, y, x), features).permute(0, 4, 1, 2, 3)

    def layer(self, kind, **settings):
        layer = kind(16, 32, 3, bias=False, **settings)
        layer.weight.data = uniform(-0.3, 0.3, 3, 3, 3, 16, 32)
        return layer

    def convolved(self, weight, **settings):
        image = self.dense(self.features, self.places, (6, 5, 6))
        return torch.nn.functional.conv3d(image, weight.permute(4, 3, 0, 1, 2), **settings)

    def check(self, found, wanted, weight):
        b, z, y, x = found.indices.long().T
        self.both(found.features, wanted[b, :, z, y, x], (self.features, weight), 1e-3)

    def test_sparse_conv3d(self):
        layer = self.layer(mx_driving.SparseConv3d, stride=2, padding=1)
        found = layer(mx_driving.SparseConvTensor(self.features, self.places, [6, 5, 6], 2))
        wanted = self.convolved(layer.weight, stride=2, padding=1)
        reached = self.dense(torch.ones(40, 1), self.places, (6, 5, 6))
        reached = torch.nn.functional.conv3d(reached, torch.ones(1, 1, 3, 3, 3), stride=2, padding=1)[:, 0] > 0
        self.assertEqual(sorted(found.indices.tolist()), torch.nonzero(reached).tolist())
        self.check(found, wanted, layer.weight)

    def test_subm_sparse_conv3d(self):
        layer = self.layer(mx_driving.SubMConv3d, indice_key="key")
        found = layer(mx_driving.SparseConvTensor(self.features, self.places, [6, 5, 6], 2))
        self.assertRtolEqual(found.indices, self.places)
        self.check(found, self.convolved(layer.weight, padding=1), layer.weight)

    def test_sparse_inverse_conv3d(self):
        """Takes the output of a sparse convolution back to the places of its input, through the same taps."""
        down = self.layer(mx_driving.SparseConv3d, stride=2, padding=1, indice_key="key")
        between_them = down(mx_driving.SparseConvTensor(self.features, self.places, [6, 5, 6], 2))
        middle = uniform(-1, 1, *between_them.features.shape).requires_grad_()
        up = mx_driving.SparseInverseConv3d(32, 16, 3, indice_key="key", bias=False)
        up.weight.data = uniform(-0.3, 0.3, 3, 3, 3, 32, 16)
        taken = mx_driving.SparseConvTensor(middle, between_them.indices, between_them.spatial_shape, 2)
        taken.indice_dict = between_them.indice_dict
        found = up(taken)
        image = self.dense(middle, between_them.indices, (3, 3, 3))
        wanted = torch.nn.functional.conv_transpose3d(image, up.weight.permute(3, 4, 0, 1, 2), stride=2, padding=1,
                                                      output_padding=(1, 0, 1))
        b, z, y, x = self.places.long().T
        self.assertRtolEqual(found.indices, self.places)
        self.both(found.features, wanted[b, :, z, y, x], (middle, up.weight), 1e-3)

    def near(self):
        """[cell, tap]: which cell is at this tap of that cell; -1 where there is none."""
        rows = {tuple(place): i for i, place in enumerate(self.places.tolist())}
        return torch.tensor([[rows.get((b, z + tap // 9 - 1, y + tap // 3 % 3 - 1, x + tap % 3 - 1), -1)
                              for tap in range(27)] for b, z, y, x in self.places.tolist()], dtype=torch.int32)

    def test_subm_sparse_conv3d_of_columns(self):
        """What a convolution multiplies. Neither this operator nor the next two are called by the package today."""
        features, near = self.features.detach(), self.near()
        table = torch.full((2, 6, 5, 6), -1.0)
        b, z, y, x = self.places.long().T
        table[b, z, y, x] = torch.arange(40).float()
        found = torch.zeros(40, 27 * 16), torch.full((40 * 27,), -1, dtype=torch.int32), torch.zeros(40, 4).int()
        operator_calls.run("aclnnSubmSparseConv3d", [features, self.places.T.contiguous(), torch.zeros(3, 3, 3, 16, 32),
                                                     torch.cat([table.reshape(-1), torch.full((8,), -1.0)]), [3, 3, 3],
                                                     32, [6, 5, 6], 2, *found])
        self.assertRtolEqual(found[1].reshape(40, 27), near)
        wanted = torch.where(near[..., None] < 0, 0, features[near.long()])
        self.assertRtolEqual(found[0].reshape(40, 27, 16), wanted)

    def columns(self, operator, rows_from_near):
        """Rows of features, put at [row, tap] of columns."""
        near, features = self.near(), self.features.detach()
        cell, tap = torch.nonzero(near >= 0).T
        other, pairs = near[cell, tap].long(), (cell * 27 + tap).int()
        found, wanted = torch.zeros(40, 27 * 16), torch.zeros(40, 27, 16)
        operator_calls.run(operator, [other.int(), pairs, features, [3, 3, 3], 16, found])
        source, target = (other, cell) if rows_from_near else (cell, other)
        wanted[target, tap] = features[source]
        self.assertRtolEqual(found.reshape(40, 27, 16), wanted)

    def test_subm_sparse_conv3d_with_key(self):
        self.columns("aclnnSubmSparseConv3dWithKey", True)

    def test_subm_sparse_conv3d_gradient_of_columns(self):
        self.columns("aclnnSubmSparseConv3dGrad", False)
