#include "dsl/initialise.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "dsl/constant.h"
#include "dsl/join_queues.h"
#include "dsl/place_tiles.h"
#include "dsl/refusal.h"

namespace kg::dsl {
std::vector<bool> inside_loops(const std::vector<Step>& steps) {
  std::vector<bool> inside, loops;
  int depth = 0;
  for (const Step& step : steps) {
    inside.push_back(depth > 0);
    if (step.opens()) {
      loops.push_back(step.kind == Step::Kind::kFor);
      depth += step.kind == Step::Kind::kFor ? 1 : 0;
    } else if (step.kind == Step::Kind::kEnd) {
      depth -= loops.back() ? 1 : 0;
      loops.pop_back();
    }
  }
  return inside;
}

namespace {

constexpr std::int64_t kRepeat = npu::chip::kRepeatBytes;
constexpr std::size_t kMostQueueBuffers = npu::chip::kEventIds;

// For each step the step that ends the innermost loop or condition around it; -1 outside of all.
std::vector<int> ends_of_blocks(const std::vector<Step>& steps) {
  std::vector<int> ends(steps.size(), -1), open;
  for (int i = static_cast<int>(steps.size()) - 1; i >= 0; --i) {
    const Step::Kind kind = steps[static_cast<std::size_t>(i)].kind;
    if (kind == Step::Kind::kFor || kind == Step::Kind::kIf) open.pop_back();
    ends[static_cast<std::size_t>(i)] = open.empty() ? -1 : open.back();
    if (kind == Step::Kind::kEnd) open.push_back(i);
  }
  return ends;
}

// For each step the step that begins that loop or condition.
std::vector<int> starts_of_blocks(const std::vector<Step>& steps) {
  std::vector<int> starts(steps.size(), -1), open;
  for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
    const Step::Kind kind = steps[static_cast<std::size_t>(i)].kind;
    if (kind == Step::Kind::kEnd) open.pop_back();
    starts[static_cast<std::size_t>(i)] = open.empty() ? -1 : open.back();
    if (kind == Step::Kind::kFor || kind == Step::Kind::kIf) open.push_back(i);
  }
  return starts;
}

void find_lives(Form& form, const std::vector<Step>& steps) {
  const std::vector<int> ends = ends_of_blocks(steps), starts = starts_of_blocks(steps);
  std::vector<int> first(form.tiles.size(), -1), last(form.tiles.size(), -1);
  for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
    const Step& step = steps[static_cast<std::size_t>(i)];
    std::vector<int> used = step.sources;
    used.insert(used.end(), step.scratch.begin(), step.scratch.end());
    if (step.result >= 0) used.push_back(step.result);
    for (const int tile : used) {
      const auto t = static_cast<std::size_t>(form.root(tile));
      if (first[t] < 0) first[t] = i;
      last[t] = i;
    }
  }
  for (std::size_t t = 0; t < form.tiles.size(); ++t) {
    if (first[t] < 0) continue;
    // A tile from outside of a block is there until the block's end, for the next turn.
    const int own = ends[static_cast<std::size_t>(first[t])];
    int until = last[t];
    while (ends[static_cast<std::size_t>(until)] != own && ends[static_cast<std::size_t>(until)] >= 0)
      until = ends[static_cast<std::size_t>(until)];
    // One whose rows a loop fills is there when the loop begins.
    int from = first[t];
    while (form.tiles[t].home == Tile::Home::kOut && starts[static_cast<std::size_t>(from)] >= 0 &&
           ends[static_cast<std::size_t>(from)] != ends[static_cast<std::size_t>(last[t])])
      from = starts[static_cast<std::size_t>(from)];
    form.tiles[t].first = from;
    form.tiles[t].last = until;
  }
}

// Copies of one tensor that never live at the same time go through one queue.
void share_queues(Form& form) {
  std::vector<int> tensors(form.tiles.size(), kWorkspace);
  for (const Step& step : form.steps)
    if (step.kind == Step::Kind::kCopyIn || step.kind == Step::Kind::kCopyOut)
      tensors[static_cast<std::size_t>(step.copy.tile)] = step.copy.tensor;
  std::map<std::pair<int, Tile::Home>, std::vector<std::vector<int>>> users;  // by tensor
  for (std::size_t t = 0; t < form.tiles.size(); ++t) {
    Tile& tile = form.tiles[t];
    if (tile.home == Tile::Home::kWork || tile.bytes == 0) continue;
    if (tensors[t] == kWorkspace) {
      tile.queue = static_cast<int>(t);
      continue;
    }
    const auto apart = [&](int user) { return form.tile(user).last < tile.first || tile.last < form.tile(user).first; };
    std::vector<std::vector<int>>& queues = users[{tensors[t], tile.home}];  // the owner first
    auto queue = std::find_if(queues.begin(), queues.end(), [&](const std::vector<int>& each) {
      return std::all_of(each.begin(), each.end(), apart);
    });
    if (queue == queues.end()) queue = queues.insert(queue, std::vector<int>{});
    queue->push_back(static_cast<int>(t));
    Tile& owner = form.tile(queue->front());
    tile.queue = queue->front();
    owner.bytes = std::max(owner.bytes, tile.bytes);
  }
}

// A freed buffer holds an event id until it is allocated again, and the copies of a direction have few: copies of
// different tensors share queues as well, until there are no more buffers than ids, and two for each queue if possible.
void join_for_events(Form& form) {
  for (const Tile::Home home : {Tile::Home::kIn, Tile::Home::kOut}) {
    const auto more_than = [](std::size_t most) {
      return [most](const std::vector<std::size_t>& owners) { return owners.size() > most; };
    };
    join_queues(form, home, Joined::kOfOtherLoops, more_than(kMostQueueBuffers / 2));
    if (join_queues(form, home, Joined::kAny, more_than(kMostQueueBuffers))) continue;
    throw Refusal(form.first_step(form.tiles[owners_of_queues(form, home).back()]).line, "buffers",
                  "more than " + std::to_string(kMostQueueBuffers) + " tiles are " +
                      (home == Tile::Home::kIn ? "loaded" : "stored") +
                      " at the same time, and the chip has event ids for that many; use some before the next");
  }
}

std::int64_t queue_bytes(const Form& form) {
  std::int64_t bytes = 0;
  for (const Tile::Home home : {Tile::Home::kIn, Tile::Home::kOut})
    for (const std::size_t t : owners_of_queues(form, home)) bytes += form.tiles[t].bytes;
  return bytes;
}

// Copies of different tensors share queues where UB would not do for all: those of other loops where it would not do
// for two buffers each, others where it would not do for one.
void join_for_room(Form& form) {
  for (const auto& [joined, buffers] : {std::pair(Joined::kOfOtherLoops, 2), std::pair(Joined::kAny, 1)}) {
    const auto too_large = [&, buffers = buffers](const std::vector<std::size_t>&) {
      return buffers * queue_bytes(form) > kUbBudget - form.work_bytes;
    };
    for (const Tile::Home home : {Tile::Home::kIn, Tile::Home::kOut}) join_queues(form, home, joined, too_large);
  }
}

void choose_buffers(Form& form) {
  const std::vector<bool> inside = inside_loops(form.steps);
  for (const Tile::Home home : {Tile::Home::kIn, Tile::Home::kOut}) {
    const std::vector<std::size_t> owners = owners_of_queues(form, home);
    for (const std::size_t t : owners) form.tiles[t].buffers = 1;
    if (owners.size() * 2 > kMostQueueBuffers) continue;
    for (const Tile& user : form.tiles)
      if (user.home == home && user.queue >= 0 && inside[static_cast<std::size_t>(user.first)])
        form.tile(user.queue).buffers = 2;
  }
}

// Values without a name share one by place and type.
void name_places(Form& form) {
  std::map<std::tuple<std::int64_t, proto::DType, std::int64_t>, std::string> names;
  for (Tile& tile : form.tiles) {
    if (tile.bytes == 0 || !tile.name.empty()) continue;
    const auto [known, is_new] =
        names.emplace(std::tuple(tile.offset, tile.dtype, tile.bytes), "t" + std::to_string(names.size()) + "_");
    tile.name = known->second;
    tile.declared = is_new;
  }
}

std::int64_t all_bytes(const Form& form) {
  std::int64_t bytes = form.work_bytes;
  for (const Tile& tile : form.tiles) bytes += tile.buffers * tile.bytes;
  return bytes;
}

}  // namespace

void initialise(Form& form) {
  find_lives(form, form.steps);
  find_lives(form, form.cube);
  std::vector<bool> used(form.tiles.size(), false);
  for (const Step& step : form.steps) {
    if (step.result >= 0) used[static_cast<std::size_t>(form.root(step.result))] = true;
    for (const int tile : step.scratch) used[static_cast<std::size_t>(tile)] = true;
  }
  std::vector<bool> compared(form.tiles.size(), false);
  for (const Step& step : form.steps)
    for (const int tile : step.sources)
      compared[static_cast<std::size_t>(tile)] =
          compared[static_cast<std::size_t>(tile)] || step.op.starts_with("Compare");
  for (std::size_t t = 0; t < form.tiles.size(); ++t) {
    Tile& tile = form.tiles[t];
    const std::int64_t bytes = tile.capacity * element_bytes(tile.dtype);
    // Comparisons read whole repeats; single blocks are for numbers being moved.
    tile.bytes = !used[t]                                          ? 0
                 : bytes <= npu::chip::kBlockBytes && !compared[t] ? npu::chip::kBlockBytes
                                                                   : align_up(bytes, kRepeat);
  }
  if (!form.compact) {
    share_queues(form);
    join_for_events(form);
  }
  place_tiles(form, /*apart=*/false);
  if (!form.compact) {
    join_for_room(form);
    choose_buffers(form);
  }
  form.ub_bytes = all_bytes(form);
  // If two buffers do not fit, one must do, for the longest tiles first.
  while (form.ub_bytes > kUbBudget) {
    Tile* longest = nullptr;
    for (Tile& tile : form.tiles)
      if (tile.buffers == 2 && (longest == nullptr || tile.bytes > longest->bytes)) longest = &tile;
    if (longest == nullptr) break;
    longest->buffers = 1;
    form.ub_bytes -= longest->bytes;
  }
  // Room that is left keeps the operands of an instruction apart.
  place_tiles(form, /*apart=*/true);
  if (all_bytes(form) > kUbBudget) place_tiles(form, /*apart=*/false);
  form.ub_bytes = all_bytes(form);
  name_places(form);
  if (form.ub_bytes > kUbBudget) {
    const Tile* largest = &form.tiles[0];
    for (const Tile& tile : form.tiles)
      if (tile.bytes > largest->bytes) largest = &tile;
    const Step& step = form.steps[static_cast<std::size_t>(largest->first)];
    throw Refusal(step.line, "buffers",
                  "the tiles that live at the same time take " + std::to_string(form.ub_bytes) + " bytes, UB has " +
                      std::to_string(kUbBudget) + "; cut the longest dimension with tiles(...) or take a smaller tile");
  }
  if (!form.cube.empty()) place_on_cube(form);
}

}  // namespace kg::dsl
