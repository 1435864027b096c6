"""As small_tests.py: targets of detection heads, boxes that are turned, searches among points, lanes."""

import numpy as np
import torch
from torch_npu.testing.testcase import TestCase

import mx_driving
import operator_calls
from small_tests import integers, uniform

COUNT = 21  # objects, points: no multiple of a block


def seen_from_box(points, box):
    """Coordinates of points in the frame of a box (x, y, z, dx, dy, dz, angle) whose z is that of its lower side."""
    x, y, z = (points.double() - box[:3].double()).T
    cos, sin = torch.cos(box[6].double()), torch.sin(box[6].double())
    return x * cos + y * sin, y * cos - x * sin, z


def inside(points, box):
    x, y, z = seen_from_box(points, box)
    return (x.abs() < box[3] / 2) & (y.abs() < box[4] / 2) & (z >= 0) & (z <= box[5])


def corners(box):
    x, y, dx, dy, angle = (float(one) for one in box)
    cos, sin = np.cos(angle), np.sin(angle)
    return [np.array([x + a * dx * cos - b * dy * sin, y + a * dx * sin + b * dy * cos])
            for a, b in ((-.5, -.5), (.5, -.5), (.5, .5), (-.5, .5))]


def left_of(start, end, point):
    return (end[0] - start[0]) * (point[1] - start[1]) - (end[1] - start[1]) * (point[0] - start[0])


def overlap(one, other):
    """Area that two turned rectangles share: the first is cut along each side of the second."""
    shape, border = corners(one), corners(other)
    for start, end in zip(border, border[1:] + border[:1]):
        cut = []
        for here, there in zip(shape, shape[1:] + shape[:1]):
            a, b = left_of(start, end, here), left_of(start, end, there)
            if a >= 0:
                cut.append(here)
            if (a >= 0) != (b >= 0):
                cut.append(here + (there - here) * (a / (a - b)))
        shape = cut
    return sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(shape, shape[1:] + shape[:1])) / 2 if shape else 0.0


def overlap_share(one, other):
    both = overlap(one, other)
    return both / (float(one[2] * one[3]) + float(other[2] * other[3]) - both)


class Lanes(TestCase):
    def test_cal_anchors_heading(self):
        """Where a path hardly moves towards larger x and y, it keeps its last heading."""
        anchors, start = uniform(-5, 5, 2, 9, 12, 2), uniform(-5, 5, 2, 2)
        path = torch.cat([start[:, None, None].expand(2, 9, 1, 2), anchors], 2)
        step = path.diff(dim=2)
        wanted, last = torch.zeros(2, 9, 12), torch.zeros(2, 9)
        for i in range(12):
            moves = (step[:, :, i] > 0.1).any(-1)
            last = torch.where(moves, torch.atan2(step[:, :, i, 1], step[:, :, i, 0]), last)
            wanted[:, :, i] = last
        self.assertRtolEqual(mx_driving.cal_anchors_heading(anchors, start), wanted)

    def cartesian_to_frenet(self, batch, count):
        """The piece of a line of pieces that is nearest to a point, the way along the line, the distance from it."""
        points, line = uniform(0, 8, batch, count, 2), uniform(0, 8, batch, 11, 2)
        starts, ends, sl = (torch.zeros(batch, count, 2) for _ in range(3))
        for b in range(batch):
            lengths = (line[b, 1:] - line[b, :-1]).norm(dim=-1)
            for i, point in enumerate(points[b]):
                at = int((line[b] - point).norm(dim=-1).argmin())
                backwards = at > 0 and float((point - line[b, at]) @ (line[b, at - 1] - line[b, at])) > 0
                if backwards or at == 10:
                    at -= 1
                start, end = line[b, at], line[b, at + 1]
                along, way = (end - start) / (end - start).norm(), point - start
                starts[b, i], ends[b, i] = start, end
                sl[b, i, 0] = lengths[:at].sum() + way @ along
                sl[b, i, 1] = along[0] * way[1] - along[1] * way[0]
        found = mx_driving.cartesian_to_frenet(points, line)
        self.assertRtolEqual(found[0], starts)
        self.assertRtolEqual(found[1], ends)
        self.assertRtolEqual(found[2], sl)

    def test_cartesian_to_frenet(self):
        self.cartesian_to_frenet(3, COUNT)

    def test_cartesian_to_frenet_of_one_point_for_each_core(self):
        self.cartesian_to_frenet(2, 20)


class Searches(TestCase):
    def test_radius(self):
        x, y = uniform(0, 4, 50, 3), uniform(0, 4, 31, 3)
        starts_x, starts_y = torch.tensor([0, 18, 50], dtype=torch.int32), torch.tensor([0, 20, 31], dtype=torch.int32)
        wanted = []
        for b in range(2):
            for i in range(int(starts_y[b]), int(starts_y[b + 1])):
                near = [j for j in range(int(starts_x[b]), int(starts_x[b + 1]))
                        if float(((x[j].double() - y[i].double()) ** 2).sum()) < 1.7 ** 2]
                wanted += [(i, j) for j in near[:3]]
        found = mx_driving.radius(x, y, starts_x, starts_y, 1.7, 3)
        self.assertRtolEqual(found, np.array(wanted, np.int32).T)

    def test_cylinder_query(self):
        """The first points of each cylinder; one that holds too few repeats its first, an empty one has point 0."""
        centres, points = uniform(0, 4, 2, 10, 3), uniform(0, 4, 2, 70, 3)
        turns = torch.linalg.qr(uniform(-1, 1, 2, 10, 3, 3))[0]
        wanted = torch.zeros(2, 10, 8, dtype=torch.int32)
        for b in range(2):
            for i in range(10):
                along, across, up = ((points[b] - centres[b, i]).double() @ turns[b, i].double()).T
                held = (across ** 2 + up ** 2 < 1.3 ** 2) & (along > -0.9) & (along < 1.1)
                found = torch.nonzero(held).reshape(-1)[:8]
                if len(found):
                    wanted[b, i] = found[0]
                    wanted[b, i, :len(found)] = found
        self.assertRtolEqual(mx_driving.cylinder_query(1.3, -0.9, 1.1, 8, centres, points, turns), wanted)

    def test_unique(self):
        for values in (integers(-30, 30, 9, 37), integers(-20, 20, 201).float() / 8):
            self.assertRtolEqual(mx_driving.npu_unique(values), torch.unique(values))

    def test_hard_voxelize(self):
        """Voxels in the order of their first points, with their first points."""
        points = torch.cat([uniform(-1, 5, 120, 3), uniform(0, 1, 120, 1)], 1)
        size, most, kept = torch.tensor([1.0, 2.0, 4.0]), 4, {}
        for point in points:
            place = tuple(torch.floor(point[:3] / size).int().tolist())
            if all(0 <= a < b for a, b in zip(place, (4, 2, 1))):
                kept.setdefault(place, []).append(point)
        wanted = torch.zeros(len(kept), most, 4)
        for i, held in enumerate(kept.values()):
            wanted[i, :min(most, len(held))] = torch.stack(held[:most])
        count, voxels, places, counts = mx_driving.voxelization(points, size.tolist(), [0, 0, 0, 4, 4, 4], most, 50)
        self.assertEqual(count, len(kept))
        self.assertRtolEqual(places, torch.tensor(list(kept)))
        self.assertRtolEqual(counts, torch.tensor([min(most, len(held)) for held in kept.values()]))
        self.assertRtolEqual(voxels, wanted)

    def test_pixel_group(self):
        """A pixel that belongs to nothing joins the region whose mean embedding is near it. Regions are far apart here:
        a pixel that is near two goes to the last in the kernel, to the first in the reference of its own test."""
        score, labels, looks = uniform(0, 1, 13, 11), integers(0, 4, 13, 11), integers(1, 4, 13, 11)
        looks = torch.where(labels > 0, labels, looks)
        embedding = looks[..., None] * torch.ones(8) + uniform(-0.4, 0.4, 13, 11, 8)
        mask, joined = score > 0.5, labels.clone()
        for label in (1, 2, 3):
            mean = embedding[labels == label].double().mean(0)
            near = ((embedding - mean) ** 2).sum(-1) < 0.75 ** 2
            joined[near & mask & (joined == 0)] = label
        found = mx_driving.pixel_group(score, mask, embedding, labels, integers(0, 2, 13, 11).byte(), 4, 0.75)
        self.assertGreater(int((joined != labels).sum()), 5)
        for label in (1, 2, 3):
            rows, columns = torch.nonzero(joined == label).T
            wanted = [float(score[joined == label].double().mean()), len(rows),
                      *torch.stack([columns, rows], 1).reshape(-1).tolist()]
            self.assertRtolEqual(np.array(found[label]), np.array(wanted))


class Targets(TestCase):
    """Targets of a head that finds the centres of boxes: cells of 0.8 m, 32 by 24 of them, from (-10, -8)."""

    SETTINGS = (8, 0.1, 2, 0.1, 0.1, -10.0, -8.0, 32, 24)

    def setUp(self):
        self.boxes = torch.cat([uniform(-12, 18, COUNT, 1), uniform(-10, 14, COUNT, 1), uniform(-2, 2, COUNT, 1),
                                uniform(0.5, 6, COUNT, 3), uniform(-3, 3, COUNT, 3)], 1)
        self.cells = (self.boxes[:, :2].double() - torch.tensor([-10.0, -8.0])) / 0.8
        self.centres = self.cells.trunc().int()
        x, y = self.centres.T
        self.valid = (self.cells > -1).all(1) & (x < 32) & (y < 24)
        width, length = self.boxes[:, 3].double() / 0.8, self.boxes[:, 4].double() / 0.8
        both, area, least = width + length, width * length, 0.1
        roots = [(both + torch.sqrt(both ** 2 - 4 * area * (1 - least) / (1 + least))) / 2,
                 (2 * both + torch.sqrt(4 * both ** 2 - 16 * (1 - least) * area)) / 2,
                 (-2 * least * both + torch.sqrt(4 * least ** 2 * both ** 2 + 16 * least * (1 - least) * area)) / 2]
        self.radius = torch.stack(roots).amin(0).int().clamp(min=2)

    def gaussian(self, flip):
        centres, radius, mask, places, boxes = mx_driving.npu_gaussian(self.boxes, *self.SETTINGS, True, True, flip, 40)
        valid = self.valid
        wanted_mask = torch.zeros(40, dtype=torch.uint8)
        wanted_mask[:COUNT] = valid
        self.assertRtolEqual(mask, wanted_mask)
        self.assertRtolEqual(centres[valid], self.centres[valid])
        self.assertRtolEqual(radius[valid], self.radius[valid])
        wanted_places = torch.zeros(40, dtype=torch.int64)
        wanted_places[:COUNT][valid] = (self.centres[:, 1] * 32 + self.centres[:, 0])[valid].long()
        self.assertRtolEqual(places, wanted_places)
        angle = self.boxes[:, 6]
        turn = [torch.cos(angle), torch.sin(angle)] if flip else [torch.sin(angle), torch.cos(angle)]
        rows = torch.cat([(self.cells - self.centres).float(), self.boxes[:, 2:3], self.boxes[:, 3:6].log(),
                          torch.stack(turn, 1), self.boxes[:, 7:]], 1)
        wanted = torch.zeros(40, 10)
        wanted[:COUNT][valid] = rows[valid]
        self.assertRtolEqual(boxes, wanted)

    def test_gaussian(self):
        self.gaussian(False)

    def test_gaussian_with_angles_flipped(self):
        self.gaussian(True)

    def test_draw_gaussian_to_heatmap(self):
        classes = integers(1, 4, COUNT)
        x, y = torch.meshgrid(torch.arange(32), torch.arange(24), indexing="xy")
        wanted = torch.zeros(3, 24, 32)
        for i in torch.nonzero(self.valid).reshape(-1).tolist():
            far_x, far_y, r = x - self.centres[i, 0], y - self.centres[i, 1], int(self.radius[i])
            hill = torch.exp(-(far_x ** 2 + far_y ** 2) / (2 * ((2 * r + 1) / 6) ** 2))
            hill[(far_x.abs() > r) | (far_y.abs() > r)] = 0
            wanted[classes[i] - 1] = torch.maximum(wanted[classes[i] - 1], hill)
        found = mx_driving.npu_draw_gaussian_to_heatmap(self.valid.byte(), classes, self.centres.T.contiguous(),
                                                        self.radius, 32, 24, 3)
        self.assertRtolEqual(found, wanted)


class Boxes(TestCase):
    def turned(self, count):
        return torch.cat([uniform(0, 6, count, 2), uniform(1, 4, count, 2), uniform(-3, 3, count, 1)], 1)

    def test_diff_iou_rotated(self):
        one, other = self.turned(COUNT), self.turned(COUNT)
        wanted = torch.tensor([[overlap_share(a, b) for a, b in zip(one, other)]])
        self.assertRtolEqual(mx_driving.diff_iou_rotated_2d(one[None], other[None]), wanted, 1e-3)

    def test_box_iou_of_turned_boxes(self):
        one, other = self.turned(9), self.turned(14)
        wanted = torch.tensor([[overlap_share(a, b) for b in other] for a in one])
        self.assertRtolEqual(mx_driving.box_iou_rotated(one, other), wanted, 1e-3)

    def test_boxes_overlap_bev_of_turned_boxes(self):
        """Boxes as corners before they are turned about their middles, clockwise."""
        one, other = self.turned(9), self.turned(14)
        wanted = torch.tensor([[overlap(a, b) for b in other] for a in one])
        given = [torch.cat([boxes[:, :2] - boxes[:, 2:4] / 2, boxes[:, :2] + boxes[:, 2:4] / 2, -boxes[:, 4:]], 1)
                 for boxes in (one, other)]
        self.assertRtolEqual(mx_driving.boxes_overlap_bev(*given), wanted, 1e-3)

    def test_nms3d_on_sight(self):
        """A box goes if a better one has its direction from the origin: both out of the front view, within 5 m of each
        other, turned by less than 30 degrees, and the line to the farther one less than 0.8 m from the other."""
        boxes = torch.cat([uniform(-14, -4, 40, 1), uniform(-6, 6, 40, 1), uniform(0, 9, 40, 4),
                           uniform(0, 1, 40, 1)], 1)
        boxes[:4, 0] += 16
        scores, left = uniform(0, 1, 40), []
        places = boxes.double().numpy()

        def same_sight(a, b):
            if a[:2] @ b[:2] <= 0 or any(one[0] > abs(one[1]) / np.sqrt(3) for one in (a, b)):
                return False
            if ((a[:2] - b[:2]) ** 2).sum() >= 25 or abs(a[6] - b[6]) >= 0.523598:
                return False
            farther = max(a[:2] @ a[:2], b[:2] @ b[:2])
            return (a[0] * b[1] - a[1] * b[0]) ** 2 / (farther + 1e-4) < 0.8 ** 2

        for i in scores.sort(0, descending=True)[1].tolist():
            if not any(same_sight(places[j], places[i]) for j in left):
                left.append(i)
        self.assertLess(len(left), 36)
        self.assertRtolEqual(mx_driving.nms3d_on_sight(boxes, scores, 0.8), np.array(left))


class Pooling(TestCase):
    def setUp(self):
        self.points, self.features = uniform(-4, 4, 2, 90, 3), uniform(-1, 1, 2, 90, 5)
        self.boxes = torch.cat([uniform(-3, 3, 2, 7, 3), uniform(2, 5, 2, 7, 3), uniform(-3, 3, 2, 7, 1)], 2)
        self.boxes[0, 2, :3] = 30  # holds nothing

    def test_roipoint_pool3d(self):
        """The first points in each box, taken again from the first where they are too few."""
        wanted, empty = torch.zeros(2, 7, 10, 8), torch.zeros(2, 7, dtype=torch.int32)
        for b in range(2):
            rows = torch.cat([self.points[b], self.features[b]], 1)
            for i, box in enumerate(self.boxes[b]):
                held = rows[inside(self.points[b], box)]
                if len(held):
                    wanted[b, i] = held[torch.arange(10) % len(held)] if len(held) < 10 else held[:10]
                else:
                    empty[b, i] = 1
        pooled, flags = mx_driving._C.npu_roipoint_pool3d_forward(10, self.points, self.features, self.boxes)
        self.assertRtolEqual(flags, empty)
        self.assertRtolEqual(pooled, wanted)

    def cells(self, most):
        """[(roi, x, y, z), [points]] of cells 3 by 2 by 2 in each box; a cell keeps its first `most` - 1 points."""
        kept = {}
        for i, box in enumerate(self.boxes[0]):
            x, y, z = seen_from_box(self.points[0], box)
            places = torch.stack([(x / box[3] + 0.5) * 3, (y / box[4] + 0.5) * 2, z / box[5] * 2], 1)
            for j in torch.nonzero(inside(self.points[0], box)).reshape(-1).tolist():
                cell = kept.setdefault((i, *torch.minimum(places[j].int(), torch.tensor([2, 1, 1])).tolist()), [])
                if len(cell) < most - 1:
                    cell.append(j)
        return kept

    def roiaware(self, mode, features, most=6):
        wanted = torch.zeros(7, 3, 2, 2, features.shape[1])
        for place, held in self.cells(most).items():
            wanted[place] = features[held].amax(0) if mode == 0 else features[held].mean(0)
        found = mx_driving.roiaware_pool3d(self.boxes[0], self.points[0], features.detach(), (3, 2, 2), most, mode)
        self.assertRtolEqual(found, wanted)
        return wanted

    def roiaware_gradient(self, mode, most=6):
        features, held_of = uniform(-1, 1, 90, 16).requires_grad_(), self.cells(most)
        wanted = torch.zeros(7, 3, 2, 2, 16)
        points, largest = torch.zeros(7, 3, 2, 2, most, dtype=torch.int32), torch.full((7, 3, 2, 2, 16), -1)
        for place, held in held_of.items():
            wanted[place] = features[held].amax(0) if mode == 0 else features[held].mean(0)
            points[place][:len(held) + 1] = torch.tensor([len(held), *held])
            largest[place] = torch.tensor(held)[features[held].argmax(0)]
        weight = uniform(-1, 1, 7, 3, 2, 2, 16)
        found = mx_driving._C.roiaware_pool3d_grad(points, largest.int(), weight, 90, mode)
        self.assertRtolEqual(found, torch.autograd.grad((wanted * weight).sum(), features)[0])

    def test_roiaware_pool3d_max(self):
        self.roiaware(0, uniform(-1, 1, 90, 16))

    def test_roiaware_pool3d_average(self):
        self.roiaware(1, uniform(-1, 1, 90, 16))

    def test_roiaware_pool3d_max_gradient(self):
        self.roiaware_gradient(0)

    def test_roiaware_pool3d_average_gradient(self):
        self.roiaware_gradient(1)


class Plain(TestCase):
    def test_batch_matmul_vector(self):
        """The products of the operator; what calls it adds them up. No function of the package calls it today."""
        a, b = uniform(-1, 1, 1, 6, 50, 4, 4), uniform(-1, 1, 1, 6, 50, 4, 4)
        found = torch.zeros_like(a)
        operator_calls.run("aclnnBatchMatmulVector", [a, b, found])
        self.assertRtolEqual(found, a * b)
