#include "dsl/place_tiles.h"

#include <algorithm>

#include "dsl/bank_layout.h"

namespace kg::dsl {
namespace {

constexpr std::int64_t kHalfLine = 256;  // half a line of the banks: operands half a line apart do not meet

struct Taken {
  std::int64_t begin, end;
};

bool is_queue(const Form& form, const Tile& tile) { return tile.home != Tile::Home::kWork && !form.compact; }

// `later` begins where `earlier` ends, and the step between them may write over what it reads.
bool may_share(const Form& form, std::size_t earlier, std::size_t later) {
  const Tile &a = form.tiles[earlier], &b = form.tiles[later];
  const Step& step = form.steps[static_cast<std::size_t>(b.first)];
  return a.last == b.first && step.in_place && step.result == static_cast<int>(later) && a.bytes == b.bytes &&
         element_bytes(a.dtype) == element_bytes(b.dtype) &&
         std::find(step.sources.begin(), step.sources.end(), static_cast<int>(earlier)) != step.sources.end();
}

class Placer {
 public:
  Placer(Form& form, bool apart) : form_(form), apart_(apart), layout_(form) {
    std::vector<double> trips = {1};
    uses_.resize(form.tiles.size());
    for (std::size_t i = 0; i < form.steps.size(); ++i) {
      const Step& step = form.steps[i];
      if (step.kind == Step::Kind::kFor) trips.push_back(trips.back() * step.trips);
      if (step.kind == Step::Kind::kIf) trips.push_back(trips.back());
      if (step.kind == Step::Kind::kEnd) trips.pop_back();
      weights_.push_back(step.kind == Step::Kind::kVector ? trips.back() * static_cast<double>(step.elements) : 0);
      if (step.kind != Step::Kind::kVector) continue;
      uses_[static_cast<std::size_t>(form.root(step.result))].push_back(i);
      for (const int source : step.sources) uses_[static_cast<std::size_t>(form.root(source))].push_back(i);
    }
  }

  void run() {
    std::vector<std::size_t> order;
    for (std::size_t t = 0; t < form_.tiles.size(); ++t) {
      if (is_queue(form_, form_.tiles[t]) || Form::is_on_cube(form_.tiles[t]) || form_.tiles[t].bytes == 0) continue;
      form_.tiles[t].offset = -1;
      order.push_back(t);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return form_.tiles[a].first < form_.tiles[b].first; });
    form_.work_bytes = 0;
    for (const std::size_t t : order) {
      place(t);
      form_.work_bytes = std::max(form_.work_bytes, form_.tiles[t].offset + form_.tiles[t].bytes);
      placed_.push_back(t);
    }
  }

 private:
  void place(std::size_t t) {
    Tile& tile = form_.tiles[t];
    const bool alone = tile.home != Tile::Home::kWork;  // compact: copies run at the same time as the next turn
    std::vector<Taken> taken, shareable;
    for (const std::size_t p : placed_) {
      const Tile& other = form_.tiles[p];
      const bool both_work = !alone && other.home == Tile::Home::kWork;
      if (both_work && (other.last < tile.first || tile.last < other.first)) continue;
      // Its own place, or a different one: never a part of it.
      (both_work && may_share(form_, p, t) ? shareable : taken).push_back({other.offset, other.offset + other.bytes});
    }
    const auto is_free = [&](std::int64_t begin, const std::vector<Taken>& in) {
      return std::none_of(in.begin(), in.end(),
                          [&](const Taken& each) { return begin < each.end && each.begin < begin + tile.bytes; });
    };
    std::vector<std::int64_t> places;
    for (const Taken& each : shareable)
      if (is_free(each.begin, taken)) places.push_back(each.begin);
    if (places.empty() || apart_) {
      std::vector<Taken> all = taken;
      all.insert(all.end(), shareable.begin(), shareable.end());
      std::vector<std::int64_t> free = {0, kHalfLine};
      for (const Taken& each : all) {
        free.push_back(each.end);
        free.push_back(each.end + kHalfLine);
      }
      std::sort(free.begin(), free.end());
      for (const std::int64_t begin : free)
        if (is_free(begin, all)) places.push_back(begin);
    }
    tile.offset = apart_ ? best_of(t, places) : places.front();
  }

  // The place with the fewest conflicts; the earlier one of equals.
  std::int64_t best_of(std::size_t t, const std::vector<std::int64_t>& places) {
    std::int64_t best = places.front();
    double least = -1;
    for (const std::int64_t place : places) {
      form_.tiles[t].offset = place;
      double cost = 0;
      for (const std::size_t step : uses_[t]) cost += weights_[step] * layout_.conflict(form_.steps[step]);
      if (least >= 0 && cost >= least) continue;
      least = cost;
      best = place;
    }
    return best;
  }

  Form& form_;
  bool apart_;
  BankLayout layout_;
  std::vector<std::vector<std::size_t>> uses_;  // by tile: steps
  std::vector<double> weights_;                 // by step: elements in all turns
  std::vector<std::size_t> placed_;
};

}  // namespace

void place_tiles(Form& form, bool apart) { Placer(form, apart).run(); }

}  // namespace kg::dsl
