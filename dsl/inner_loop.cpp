#include "dsl/inner_loop.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dsl/constant.h"

namespace kg::dsl {
namespace {

constexpr std::int64_t kLeastPieces = 4;  // a core, so that none has much more to do than others

std::int64_t pieces_of(const LoopItem& item) {
  return item.tiles ? ceil_div(item.total, static_cast<std::int64_t>(item.tile->number)) : item.total;
}

}  // namespace

std::optional<Statement> with_inner_loop(const Statement& loop, const Statement& known, std::int64_t cores) {
  if (known.kind != Statement::Kind::kFor || !known.parallel || known.cube || known.items.size() < 2)
    return std::nullopt;
  const auto single = std::find_if(known.items.rbegin(), known.items.rend(),
                                   [](const LoopItem& item) { return !item.tiles && !item.lo && item.list.empty(); });
  if (single == known.items.rend() || single->total < 2) return std::nullopt;
  std::int64_t pieces = 1;
  for (const LoopItem& item : known.items) pieces *= pieces_of(item);
  if (pieces / single->total < kLeastPieces * cores) return std::nullopt;
  Statement outer = loop;
  const auto at = outer.items.begin() + std::distance(single, known.items.rend()) - 1;
  Statement inner;
  inner.kind = Statement::Kind::kFor;
  inner.line = outer.line;
  inner.items = {std::move(*at)};
  inner.body = std::move(outer.body);
  outer.items.erase(at);
  outer.body.clear();
  outer.body.push_back(std::move(inner));
  return outer;
}

}  // namespace kg::dsl
