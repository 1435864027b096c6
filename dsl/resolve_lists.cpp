#include <algorithm>
#include <iterator>
#include <map>

#include "dsl/constant.h"
#include "dsl/copy_program.h"
#include "dsl/match_tensors.h"
#include "dsl/refusal.h"
#include "dsl/resolve.h"
#include "dsl/walk.h"

// A list x of three tensors becomes the parameters x_0, x_1, x_2. A loop over tensors(x) is unrolled: its body
// appears three times, with a number instead of the loop's variable and its own names for what it sets.
namespace kg::dsl {
namespace {

constexpr int kMostTensors = 256;
constexpr std::size_t kMostStatements = 20000;

struct Lists {
  std::map<std::string, std::vector<std::string>> members;  // by the list's name
  std::set<std::string> names;                              // names in the program
  std::size_t statements = 0;
};

bool sets_name(const Statement& statement) {
  using Kind = Statement::Kind;
  return statement.kind == Kind::kAssign || statement.kind == Kind::kBuffer || statement.kind == Kind::kMatrix ||
         statement.kind == Kind::kProduct || statement.kind == Kind::kScratch;
}

const std::vector<std::string>& members_of(const Lists& lists, const std::string& name, int line,
                                           const std::string& text) {
  const auto found = lists.members.find(name);
  if (found == lists.members.end())
    throw Refusal(line, text,
                  name + " is not a list of tensors; a list is a parameter such as " + name + ": half[..]*");
  return found->second;
}

// The member that the first of these indices names; the index is taken away.
std::string taken_member(const Lists& lists, const std::string& list, std::vector<Index>& indices, int line,
                         const std::string& text) {
  const std::vector<std::string>& members = members_of(lists, list, line, text);
  const bool single = !indices.empty() && !indices[0].slice && indices[0].at;
  const auto place = single ? constant_of(*indices[0].at, {}) : std::nullopt;
  if (!place)
    throw Refusal(line, text,
                  "the first index says which tensor of " + list + ", a loop's variable from 'for i in tensors(" +
                      list + ")' or a number");
  if (*place < 0 || *place >= static_cast<std::int64_t>(members.size()))
    throw Refusal(line, text, list + " has " + std::to_string(members.size()) + " tensors here");
  indices.erase(indices.begin());
  if (indices.empty()) throw Refusal(line, text, "the indices follow the tensor's position, as in " + list + "[i, t]");
  return members[static_cast<std::size_t>(*place)];
}

// load x[i, t], size(x[i]) and len(x) for the values of i.
void name_members(const Lists& lists, ExprPtr& expr) {
  for_each(expr, [&](ExprPtr& part) {
    if (part->kind == Expr::Kind::kLoad && lists.members.contains(part->text)) {
      const std::string text = text_of(*part);
      part->text = taken_member(lists, part->text, part->indices, part->line, text);
    } else if (part->kind == Expr::Kind::kCall && part->args.size() == 1 && part->text == "len" &&
               part->args[0]->kind == Expr::Kind::kName && lists.members.contains(part->args[0]->text)) {
      const auto count = static_cast<double>(lists.members.at(part->args[0]->text).size());
      part = std::make_shared<Expr>(
          Expr{.kind = Expr::Kind::kNumber, .line = part->line, .number = count, .integer = true});
    } else if (part->kind == Expr::Kind::kCall && part->args.size() == 1 && part->text == "size" &&
               part->args[0]->kind == Expr::Kind::kElement) {
      Expr& element = *part->args[0];
      const std::string list = element.args[0]->text, text = text_of(*part);
      std::vector<Index> indices = element.indices;
      indices.emplace_back();
      element.kind = Expr::Kind::kName;
      element.text = taken_member(lists, list, indices, part->line, text);
      element.args.clear();
      element.indices.clear();
    }
  });
}

void substitute(Statement& statement, const std::string& variable, int place,
                const std::map<std::string, std::string>& renamed) {
  for_each_own(statement, [&](ExprPtr& part) {
    if (part->kind != Expr::Kind::kName && part->kind != Expr::Kind::kLoad) return;
    if (part->kind == Expr::Kind::kName && part->text == variable) {
      part = std::make_shared<Expr>(
          Expr{.kind = Expr::Kind::kNumber, .line = part->line, .number = static_cast<double>(place), .integer = true});
    } else if (const auto found = renamed.find(part->text); found != renamed.end()) {
      part->text = found->second;
    }
  });
  if (const auto found = renamed.find(statement.name); found != renamed.end()) statement.name = found->second;
}

std::vector<Statement> written_out(Lists& lists, std::vector<Statement> body);

// The names that only this body sets: each turn has its own.
std::set<std::string> own_names(const Lists& lists, std::vector<Statement>& body) {
  std::set<std::string> own;
  for_each_statement(body, [&](Statement& statement) {
    if (sets_name(statement) && !lists.names.contains(statement.name)) own.insert(statement.name);
  });
  return own;
}

std::vector<Statement> turns(Lists& lists, Statement& loop) {
  const LoopItem& item = loop.items[0];
  const std::string text = "for " + item.name + " in tensors(" + item.list + ")";
  const std::size_t count = members_of(lists, item.list, loop.line, text).size();
  std::vector<Statement> made;
  const std::set<std::string> own = own_names(lists, loop.body);
  for (std::size_t place = 0; place < count; ++place) {
    std::map<std::string, std::string> renamed;
    for (const std::string& name : own) {
      std::string fresh = name + "_" + std::to_string(place);
      while (lists.names.contains(fresh)) fresh += "_";
      renamed[name] = fresh;
    }
    std::vector<Statement> turn = copied(loop.body);
    for_each_statement(turn, [&](Statement& statement) {
      if (sets_name(statement) && statement.name == item.name)
        throw Refusal(statement.line, statement.name, statement.name + " is a loop's variable and cannot be set");
      substitute(statement, item.name, static_cast<int>(place), renamed);
      ++lists.statements;
    });
    if (lists.statements > kMostStatements)
      throw Refusal(loop.line, text,
                    "loops over lists unroll this program to more than 20000 statements; use shorter lists");
    turn = written_out(lists, std::move(turn));
    std::move(turn.begin(), turn.end(), std::back_inserter(made));
  }
  return made;
}

std::vector<Statement> written_out(Lists& lists, std::vector<Statement> body) {
  std::vector<Statement> made;
  for (Statement& statement : body) {
    if (statement.kind == Statement::Kind::kFor && !statement.items[0].list.empty()) {
      std::vector<Statement> all = turns(lists, statement);
      std::move(all.begin(), all.end(), std::back_inserter(made));
      continue;
    }
    for (ExprPtr* part : {&statement.value, &statement.extent}) name_members(lists, *part);
    for (Index& index : statement.indices)
      for (ExprPtr* part : {&index.at, &index.to, &index.step}) name_members(lists, *part);
    for (ExprPtr& extent : statement.extents) name_members(lists, extent);
    for (LoopItem& item : statement.items)
      for (ExprPtr* part : {&item.lo, &item.hi, &item.tile}) name_members(lists, *part);
    if (statement.kind == Statement::Kind::kStore && lists.members.contains(statement.name))
      statement.name = taken_member(lists, statement.name, statement.indices, statement.line,
                                    "store " + statement.name + text_of(statement.indices));
    statement.body = written_out(lists, std::move(statement.body));
    statement.otherwise = written_out(lists, std::move(statement.otherwise));
    made.push_back(std::move(statement));
  }
  return made;
}

// The parameters for the tensors of a list.
std::vector<Parameter> members(const Parameter& list, const std::vector<TensorShape>& tensors, Lists& lists) {
  if (tensors.empty())
    throw Refusal(list.line, list.name, "the task says how many tensors a list has: lower the program for a task");
  std::vector<Parameter> made;
  for (const TaskParameter& given : task_parameters(tensors)) {
    if (given.first != list.tensor) continue;
    if (!given.head->listed)
      throw Refusal(list.line, list.name, "the task gives one tensor here, not a list; declare it without '*'");
    const int count = given.head->absent ? 0 : given.count;
    if (count > kMostTensors)
      throw Refusal(list.line, list.name, "a list has at most 256 tensors, this one " + std::to_string(count));
    for (int place = 0; place < count; ++place) {
      Parameter& member = made.emplace_back(list);
      member.list = false;
      member.of_list = list.name;
      member.place = place;
      member.tensor = given.first + place;
      member.name = list.name + "_" + std::to_string(place);
      while (lists.names.contains(member.name)) member.name += "_";
      if (!list.extents.empty()) continue;
      double elements = 1;
      for (const std::int64_t extent : tensors[static_cast<std::size_t>(member.tensor)].shape)
        elements *= static_cast<double>(extent);
      member.extents.push_back(std::make_shared<Expr>(
          Expr{.kind = Expr::Kind::kNumber, .line = list.line, .number = elements, .integer = true}));
    }
  }
  return made;
}

// Names that are set outside of every loop over a list keep theirs inside.
void note_outer_names(const std::vector<Statement>& body, std::set<std::string>& names) {
  for (const Statement& statement : body) {
    if (sets_name(statement)) names.insert(statement.name);
    if (statement.kind == Statement::Kind::kFor && !statement.items[0].list.empty()) continue;
    note_outer_names(statement.body, names);
    note_outer_names(statement.otherwise, names);
  }
}

}  // namespace

void write_out_lists(Program& program, const std::vector<TensorShape>& tensors) {
  Lists lists;
  std::vector<Parameter> parameters;
  std::vector<std::string> outputs;
  for (const Parameter& parameter : program.parameters) lists.names.insert(parameter.name);
  note_outer_names(program.body, lists.names);
  for (const Parameter& parameter : program.parameters) {
    if (!parameter.list) {
      if (parameter.tensor >= 0 && tensors[static_cast<std::size_t>(parameter.tensor)].listed)
        throw Refusal(parameter.line, parameter.name,
                      "the task gives a list of tensors here; declare it as " + parameter.name + ": half[..]*");
      parameters.push_back(parameter);
      continue;
    }
    std::vector<std::string>& names = lists.members[parameter.name];
    for (Parameter& member : members(parameter, tensors, lists)) {
      names.push_back(member.name);
      parameters.push_back(std::move(member));
    }
  }
  for (const std::string& name : program.outputs)
    if (const auto found = lists.members.find(name); found != lists.members.end())
      outputs.insert(outputs.end(), found->second.begin(), found->second.end());
    else
      outputs.push_back(name);
  program.parameters = std::move(parameters);
  program.outputs = std::move(outputs);
  program.body = written_out(lists, std::move(program.body));
}

}  // namespace kg::dsl
