#include "dsl/check_in_place.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "dsl/refusal.h"
#include "dsl/walk.h"

namespace kg::dsl {
namespace {

struct Access {
  const Region* region = nullptr;
  bool stores = false;
  int line = 0;
  std::string text;
};

// Elements that belong to a single turn of the loops: within the smallest step of any loop.
bool is_within_turn(const Region& region, std::int64_t step) {
  return region.length.factor == 0 && region.offset.constant >= 0 &&
         region.offset.constant + region.length.constant <= step;
}

// No turn of the loops writes with the one what another one reads with the other.
bool is_apart(const Region& a, const Region& b) {
  if (a.offset.terms != b.offset.terms) return false;
  if (a.offset.constant == b.offset.constant && a.length == b.length) return true;
  std::int64_t step = 0;
  for (const auto& [name, coefficient] : a.offset.terms)
    if (!name.starts_with("len ")) step = step == 0 ? std::abs(coefficient) : std::min(step, std::abs(coefficient));
  return is_within_turn(a, step) && is_within_turn(b, step);
}

// The uses of a tensor by a statement and its blocks, in text order.
std::vector<Access> accesses(Statement& statement, int tensor) {
  std::vector<Access> made;
  const auto collect = [&](Statement& each) {
    for_each_own(each, [&](const ExprPtr& part) {
      if (part->kind == Expr::Kind::kLoad && part->region.tensor == tensor)
        made.push_back({.region = &part->region, .line = part->line, .text = text_of(*part)});
    });
    if (each.kind == Statement::Kind::kStore && each.region.tensor == tensor)
      made.push_back({.region = &each.region,
                      .stores = true,
                      .line = each.line,
                      .text = "store " + each.name + text_of(each.indices)});
  };
  collect(statement);
  for_each_statement(statement.body, collect);
  for_each_statement(statement.otherwise, collect);
  return made;
}

bool waits_for_all(Statement& statement) {
  bool waits = statement.kind == Statement::Kind::kBarrier;
  for_each_own(statement, [&](const ExprPtr& part) {
    waits |= part->kind == Expr::Kind::kCall && part->text.starts_with("all_");
  });
  return waits;
}

void check_one(const std::vector<Access>& all, const std::string& name, bool in_loop) {
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      if (all[i].stores == all[k].stores) continue;
      if (all[k].stores)
        throw Refusal(all[i].line, all[i].text,
                      name + " is written in place and stored before; load it first, or put 'barrier' between");
      if (!in_loop || !is_apart(*all[i].region, *all[k].region))
        throw Refusal(all[i].line, all[i].text,
                      name + " is written in place: a loop over cores loads of it only what the same turn stores");
    }
}

}  // namespace

void check_in_place(Program& program) {
  for (std::size_t tensor = 0; tensor < program.parameters.size(); ++tensor) {
    const std::string& name = program.parameters[tensor].name;
    if (!program.parameters[tensor].in_place) continue;
    bool loaded = false, stored = false;  // by an earlier statement, since all cores waited
    for (Statement& statement : program.body) {
      if (waits_for_all(statement)) loaded = stored = false;
      const std::vector<Access> all = accesses(statement, static_cast<int>(tensor));
      check_one(all, name, statement.parallel);
      for (const Access& access : all)
        if (access.stores ? loaded : stored)
          throw Refusal(access.line, access.text,
                        name + " is written in place, and " + (access.stores ? "loaded" : "stored") +
                            " since the last barrier; put 'barrier' between");
      for (const Access& access : all) (access.stores ? stored : loaded) = true;
    }
  }
}

}  // namespace kg::dsl
