#include "dataset/translation/stages.h"

#include <algorithm>
#include <cctype>

#include "dataset/translation/in_memory.h"
#include "dataset/translation/node_maker.h"
#include "dataset/translation/products.h"
#include "dataset/translation/spread.h"

namespace kg::dataset::translation {

namespace {

// What loops are called; an input with such a name gets another, and is matched by its place.
const std::set<std::string> kLoopNames = {"t", "r", "i0", "i1", "i2", "i3", "i4", "i5", "i6"};

void rename_inputs(Graph& graph) {
  std::set<std::string> names;
  for (const int input : graph.inputs) names.insert(graph[input].name);
  for (const int input : graph.inputs) {
    std::string& name = graph.nodes[static_cast<std::size_t>(input)].name;
    if (!kLoopNames.contains(name)) continue;
    do name += "_in";
    while (!names.insert(name).second);
  }
}

}  // namespace

Stages::Stages(Graph& graph) : graph_(graph), own_nodes_(static_cast<int>(graph.nodes.size())) {
  rename_inputs(graph);
  std::vector<SizeId> order;
  std::vector<std::string> taken;
  for (const int input : graph.inputs) {
    inputs_[input] = {graph[input].name, graph[input].dims};
    order.insert(order.end(), graph[input].dims.begin(), graph[input].dims.end());
    taken.push_back(graph[input].name);
  }
  for (const Graph::Output& output : graph.outputs) taken.push_back(output.name);
  graph.sizes.name_axes(order, taken);
  for (const int node : in_memory(graph)) want({node, graph[node].dims});
}

std::string Stages::program() {
  while (!write_all() || unfold() || forget_unread()) continue;
  return head() + text_;
}

// Inputs whose folded shape leaves an axis without a name are read as they are after all. Whether there were some.
bool Stages::unfold() {
  std::set<SizeId> named;
  const auto add = [&](const std::vector<SizeId>& dims) {
    for (const SizeId size : dims) named.insert(graph_.sizes.same_as(size));
  };
  for (const int input : graph_.inputs) add(inputs_.at(input).dims);
  for (const Graph::Output& output : graph_.outputs) add(outputs_.at(output.name));
  bool found = false;
  for (const int input : folded_) {
    const std::vector<SizeId>& own = graph_[input].dims;
    std::vector<SizeId> nameless;
    for (const SizeId size : own)
      if (graph_.sizes.number(size) != 1 && !named.contains(graph_.sizes.same_as(size))) nameless.push_back(size);
    if (inputs_.at(input).dims == own || !used_apart(nameless)) continue;
    inputs_.at(input).dims = own;
    found = true;
  }
  return found;
}

// A tensor may be wanted only as long as others are not in memory. Whether there were some that nothing reads, or only
// the loop that makes a result of it.
bool Stages::forget_unread() {
  const auto is_result = [&](int node) {
    return std::any_of(graph_.outputs.begin(), graph_.outputs.end(),
                       [&](const Graph::Output& output) { return output.node == node; });
  };
  return std::erase_if(wanted_, [&](const auto& wanted) {
           const auto& [node, target] = wanted;
           const std::string read = "load " + target.name + "[";
           const std::size_t first = text_.find(read);
           const bool again = first != std::string::npos && text_.find(read, first + 1) != std::string::npos;
           return !again && (first == std::string::npos || is_result(node)) && unread_.insert(node).second;
         }) > 0;
}

// Whether the program contains one of these sizes, which has no name.
bool Stages::used_apart(const std::vector<SizeId>& sizes) const {
  const std::string text = head() + text_;
  return std::any_of(sizes.begin(), sizes.end(), [&](SizeId size) {
    const std::string name = graph_.sizes.text(size);
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += name.size()) {
      const auto word = [&](std::size_t i) {
        return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
      };
      if ((at == 0 || !word(at - 1)) && !word(at + name.size())) return true;
    }
    return false;
  });
}

std::string Stages::name_of(int node) const {
  const std::string& name = graph_[node].name;
  return name.empty() ? "a step of an operator" : name;
}

// Whether that is possible, and new.
bool Stages::want(const Wanted& wanted) {
  const Node& node = graph_[wanted.node];
  const bool input = inputs_.contains(wanted.node);
  std::string type = node.type;
  if (type == "bool" || type == "int64") type = type == "bool" ? "float" : "int32";
  const bool is_new =
      input ? folded_.insert(wanted.node).second : wanted_.emplace(wanted.node, Target{"", type, wanted.dims}).second;
  std::vector<SizeId>& dims = input ? inputs_[wanted.node].dims : wanted_.at(wanted.node).dims;
  // Its own shape goes before that of a product, which then takes a copy.
  const bool own = wanted.dims == node.dims && dims != node.dims;
  if (!is_new && !(own && kept_.insert(wanted.node).second)) return false;
  dims = wanted.dims;
  return true;
}

// False: tensors in memory were found to be wanted, which the next attempt knows from its beginning.
bool Stages::write_all() {
  complete_ = true;
  try {
    attempt();
  } catch (const Unfit&) {
    if (complete_) throw Unknown{"loops for " + name_of(writing_)};
  } catch (const Unknown&) {
    if (complete_) throw;
  }
  return complete_;
}

void Stages::attempt() {
  storage_ = inputs_;
  taken_.clear();
  for (const int input : graph_.inputs) taken_.insert(graph_[input].name);
  for (const Graph::Output& output : graph_.outputs) taken_.insert(output.name);
  for (const std::string& word : kLoopNames)
    if (taken_.contains(word)) throw Unfit{};  // a result has it
  outputs_.clear();
  writer_.emplace(graph_, storage_, taken_);
  std::string scratches;
  bool behind = false;
  const auto begin = [&] {
    if (behind) writer_->top->write("barrier");
    behind = false;
  };
  // Operands come before the nodes that use them, a view that was made here behind what it is of.
  std::vector<std::pair<int, int>> order;
  for (const auto& [node, target] : wanted_) order.emplace_back(node < own_nodes_ ? node : graph_[node].of[0], node);
  std::sort(order.begin(), order.end());
  for (const auto& [place, node] : order) {
    begin();
    make(node);
    const Target& target = wanted_.at(node);
    scratches += "  scratch " + target.name + ": " + target.type + "[" +
                 (target.in_pieces ? spread_shape(graph_, graph_[node]) : shape_text(target.dims)) + "]\n";
    behind = true;
  }
  for (const Graph::Output& output : graph_.outputs) {
    begin();
    int node = output.node;
    if (graph_[node].kind == Node::Kind::kReshape && is_written_as(graph_[node].of[0])) node = graph_[node].of[0];
    const Target target{output.name, output.type, graph_[node].dims};
    outputs_[output.name] = target.dims;
    write_with_wanted(node, target);
  }
  text_ = scratches + writer_->top->text(1);
}

// Computes a tensor in memory.
void Stages::make(int node) {
  Target& target = wanted_.at(node);
  target.name = writer_->fresh("g");
  target.in_pieces = is_spread_in_pieces(graph_, graph_[node]);
  write_with_wanted(node, target);
  storage_[node] = {target.name, target.dims};
}

// What it wants to be in memory is made first. Then the attempt is to be repeated, with that for all others as well.
void Stages::write_with_wanted(int node, const Target& target) {
  for (;;) try {
      writer_->top->known.clear();
      return write(node, target);
    } catch (const Wanted& wanted) {
      const bool itself = wanted.node == node && wanted_.contains(node);
      const int operand = itself ? open_operand(node) : -1;
      make_wanted(operand < 0 ? wanted : Wanted{operand, graph_[operand].dims});
    } catch (const Unfit&) {
      const int operand = open_operand(node);
      if (operand < 0) throw;
      make_wanted({operand, graph_[operand].dims});
    }
}

void Stages::make_wanted(const Wanted& wanted) {
  if (!want(wanted)) throw Unknown{"loops for " + name_of(wanted.node)};
  complete_ = false;
  writer_.emplace(graph_, storage_, taken_);
  if (inputs_.contains(wanted.node))
    storage_[wanted.node] = inputs_.at(wanted.node);
  else
    make(wanted.node);
}

// An operand that is computed with the node; -1: there is none.
int Stages::open_operand(int node) const {
  for (const int of : graph_[node].of)
    if (!storage_.contains(of) && !wanted_.contains(of) && graph_.count(graph_[of].dims) > 1 &&
        graph_[of].kind != Node::Kind::kCounter)
      return of;
  return -1;
}

// A view of a completed value is written as that value, if its axes are axes of the view, or several of them.
bool Stages::is_written_as(int node) const {
  const std::vector<SizeId>& dims = graph_[node].dims;
  return !storage_.contains(node) && is_made_whole(graph_[node].kind) &&
         std::none_of(dims.begin(), dims.end(), [&](SizeId size) { return graph_.sizes.number(size) == 1; });
}

bool Stages::is_copy(int id) const {
  while (!storage_.contains(id) && is_move(graph_[id].kind)) id = graph_[id].of[0];
  return storage_.contains(id);
}

void Stages::write(int id, const Target& target) {
  writing_ = writer_->writing = id;
  writer_->moves = is_copy(id);
  const Node& node = graph_[id];
  if (!storage_.contains(id)) {
    if (node.kind == Node::Kind::kProduct) return product(id, target);
    if (node.kind == Node::Kind::kTaps) return taps(id, target);
    if (node.kind == Node::Kind::kJoin) return join(id, target);
    if (node.kind == Node::Kind::kSpread) return spread(id, target);
    if (node.kind == Node::Kind::kScan && node.axis + 1 != static_cast<int>(node.dims.size())) return scan(id, target);
  }
  walk(id, [&](int way) { return store(way, target); });
}

// Over its own axes, or over finer ones of a view that it is computed of.
void Stages::walk(int id, const std::function<Sink(int)>& sink_for) {
  std::vector<int> ways = {id};
  for (const std::vector<SizeId>& dims : finer_views(id)) ways.push_back(view_of(id, dims));
  for (const int way : ways) try {
      return ::kg::dataset::translation::walk(*writer_, way, sink_for(way), {.by_element = false});
    } catch (const Unfit&) {
    }
  try {
    return ::kg::dataset::translation::walk(*writer_, id, sink_for(id), {.by_element = false, .alone = true});
  } catch (const Unfit&) {
  }
  if (const int turned = turned_operand(id); turned >= 0) throw Wanted{turned, graph_[turned].dims};
  ::kg::dataset::translation::walk(*writer_, id, sink_for(id), {});
}

// A node and all that it is computed of in the same loops: what is in memory is read there.
std::vector<int> Stages::computed_with(int id) const {
  std::vector<int> found, open = {id};
  std::set<int> seen;
  while (!open.empty()) {
    const int one = open.back();
    open.pop_back();
    if (!seen.insert(one).second || storage_.contains(one)) continue;
    found.push_back(one);
    open.insert(open.end(), graph_[one].of.begin(), graph_[one].of.end());
  }
  return found;
}

// A tensor in memory with other axes in front, one of those that many elements are computed of: a copy in the order in
// which it is needed is made by rows, so that these are not computed one by one. -1: there is none.
int Stages::turned_operand(int id) const {
  constexpr std::int64_t kMany = 4096;
  if (is_copy(id) || graph_.count(graph_[id].dims) < kMany) return -1;
  const std::vector<int> nodes = computed_with(id);
  const auto found = std::find_if(nodes.begin(), nodes.end(), [&](int one) {
    return graph_[one].kind == Node::Kind::kPermute && !wanted_.contains(one) && is_copy(one) &&
           graph_.count(graph_[one].dims) >= kMany;
  });
  return found == nodes.end() ? -1 : *found;
}

int Stages::view_of(int id, const std::vector<SizeId>& dims) {
  const auto [found, is_new] = views_.try_emplace({id, dims}, static_cast<int>(graph_.nodes.size()));
  if (is_new) graph_.nodes.push_back({.kind = Node::Kind::kReshape, .of = {id}, .dims = dims, .type = graph_[id].type});
  return found->second;
}

std::vector<std::vector<SizeId>> Stages::finer_views(int id) const {
  std::vector<std::vector<SizeId>> found;
  const std::int64_t count = graph_.count(graph_[id].dims);
  for (const int one : computed_with(id)) {
    const Node& node = graph_[one];
    if (node.kind != Node::Kind::kReshape) continue;
    for (const std::vector<SizeId>& dims : {node.dims, graph_[node.of[0]].dims})
      if (graph_.count(dims) == count && dims.size() > graph_[id].dims.size() &&
          std::find(found.begin(), found.end(), dims) == found.end())
        found.push_back(dims);
  }
  return found;
}

std::string Stages::shape_text(const std::vector<SizeId>& dims) const {
  std::string made;
  for (const SizeId size : dims) made += (made.empty() ? "" : ", ") + graph_.sizes.text(size);
  return made.empty() ? "1" : made;
}

std::string Stages::head() const {
  std::string made, results;
  for (const int input : graph_.inputs)
    made += (made.empty() ? "" : ", ") + graph_[input].name + ": " + graph_[input].type + "[" +
            shape_text(inputs_.at(input).dims) + "]";
  for (const Graph::Output& output : graph_.outputs)
    results += (results.empty() ? "" : ", ") + output.name + ": " + output.type + "[" +
               shape_text(outputs_.at(output.name)) + "]";
  return "kernel custom_op(" + made + ") -> " + (graph_.outputs.size() > 1 ? "(" + results + "):" : results + ":") +
         "\n";
}

void Stages::store(Block& block, const Value& value, const Index& index, const std::vector<SizeId>& dims,
                   const Target& target) {
  Index at = dims == target.dims ? index : through_view(index, dims, target.dims, graph_.sizes);
  drop_single_axes(at, target.dims, graph_.sizes);
  std::string text = writer_->as_number_or_tile(block, value);
  if (is_whole_number(target.type) && !value.integer) text = "int32(" + text + ")";
  if (target.type == "bool" && value.kind != Kind::kMask && value.integer) text = "float(" + text + ")";
  block.write("store " + target.name + "[" + text_of(at) + "] = " + text);
}

Sink Stages::store(int node, const Target& target) {
  return {.before = nullptr, .at = [this, node, target](Block& block, const Value& value, const Index& index) {
            store(block, value, index, graph_[node].dims, target);
          }};
}

// Of a part of `whole`, at an offset along its axis.
Sink Stages::store_part(const Node& whole, const Target& target, const std::string& offset) {
  return {.before = nullptr,
          .at = [this, axis = whole.axis, dims = whole.dims, target, offset](Block& block, const Value& value,
                                                                             Index index) {
            Entry& entry = index.at(entry_at(index, axis));
            if (!offset.empty()) entry.text = plus(entry.text, offset);
            entry.whole = false;
            store(block, value, index, dims, target);
          }};
}

void Stages::scan(int id, const Target& target) {
  const Node& node = graph_[id];
  const std::string sum = writer_->fresh("s");
  const bool product = node.op == "cumprod";
  const Sink sink{
      .before =
          [&](Block& block, const Index& index) {
            const Entry* range = range_of(index);
            const std::string first = product ? "1.0" : "0.0";
            block.write(sum + " = " + (range == nullptr ? first : "full(len(" + range->loop + "), " + first + ")"));
          },
      .at =
          [&](Block& block, const Value& value, const Index& index) {
            block.write(sum + (product ? " *= " : " += ") + writer_->as_number_or_tile(block, value));
            store(block, {.text = sum, .kind = range_of(index) == nullptr ? Kind::kNumber : Kind::kTile}, index,
                  node.dims, target);
          }};
  ::kg::dataset::translation::walk(*writer_, node.of[0], sink, {.last = node.axis});
}

namespace {

// The sum of texts, equal ones as a product.
class Sum {
 public:
  void add(const std::string& text) {
    const bool number = text.find_first_not_of("0123456789") == std::string::npos;
    if (number)
      number_ += std::stoll(text);
    else
      ++counts_[text];
  }
  std::string text() const {
    std::string made = number_ > 0 ? std::to_string(number_) : "";
    for (const auto& [text, count] : counts_) made = plus(made, times(in_brackets(text), std::to_string(count)));
    return made;
  }

 private:
  std::int64_t number_ = 0;
  std::map<std::string, int> counts_;
};

}  // namespace

void Stages::join(int id, const Target& target) {
  const Node& node = graph_[id];
  Sum before;
  for (const int of : node.of) {
    walk(of, [&, offset = before.text()](int way) {
      if (way != of) throw Unfit{};
      return store_part(node, target, offset);
    });
    before.add(graph_.sizes.text(graph_[of].dims[static_cast<std::size_t>(node.axis)]));
    writer_->top->known.clear();
  }
}

void Stages::spread(int id, const Target& target) {
  const Node& node = graph_[id];
  const int of = node.of[0];
  if (!storage_.contains(of)) throw Wanted{of, graph_[of].dims};
  if (storage_.at(of).dims != graph_[of].dims) throw Unfit{};
  write_spread(*writer_, node, storage_.at(of), target.name, target.in_pieces);
}

// The tensor of an operand, which is in memory; `turned`: with its last two axes swapped.
int Stages::matrix(int id, bool& turned) {
  const Node* node = &graph_[id];
  while (!storage_.contains(id) && node->kind == Node::Kind::kPermute) {
    std::vector<int> swapped = node->axes;
    if (swapped.size() < 2) break;
    std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
    if (!std::is_sorted(swapped.begin(), swapped.end())) break;
    turned = !turned;
    id = node->of[0];
    node = &graph_[id];
  }
  if (storage_.contains(id)) {
    if (storage_.at(id).dims == node->dims) return id;
    const std::vector<SizeId> dims = node->dims;  // another product takes it as a view
    const int copy = view_of(id, dims);
    if (storage_.contains(copy)) return copy;
    throw Wanted{copy, dims};
  }
  if (node->kind == Node::Kind::kReshape) {
    const int of = node->of[0];
    if (storage_.contains(of) && storage_.at(of).dims == node->dims) return of;
    const bool input = inputs_.contains(of);
    if (input && folded_.contains(of)) throw Wanted{id, node->dims};
    if (input && node->dims.size() > graph_[of].dims.size()) throw Wanted{id, node->dims};
    const Node::Kind kind = graph_[of].kind;
    // Stored by rows and columns.
    const bool in_rows = kind == Node::Kind::kProduct || kind == Node::Kind::kTaps || kind == Node::Kind::kSpread;
    if (in_rows && node->dims.size() != graph_[of].dims.size()) throw Wanted{id, node->dims};
    if (input || !storage_.contains(of)) throw Wanted{of, node->dims};
  }
  throw Wanted{id, node->dims};
}

void Stages::taps(int id, const Target& target) {
  const Node& node = graph_[id];
  bool turned = false;
  const int weights = matrix(node.of[0], turned), rows = matrix(node.of[1], turned);
  if (turned) throw Unfit{};
  write_taps(*writer_, node, storage_.at(weights).name, storage_.at(rows).name, target.name);
}

void Stages::product(int id, const Target& target) {
  const Node& node = graph_[id];
  MatrixOperand operands[2];
  for (std::size_t side = 0; side < 2; ++side) {
    MatrixOperand& operand = operands[side];
    const int of = matrix(node.of[side], operand.turned);
    const std::string& type = wanted_.contains(of) ? wanted_.at(of).type : graph_[of].type;
    if (type != "float" && type != "half" && type != "bfloat16") throw Unfit{};
    operand.storage = storage_.at(of);
  }
  write_product(*writer_, node, operands[0], operands[1], target.name);
}

}  // namespace kg::dataset::translation
