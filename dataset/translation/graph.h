#pragma once

#include <deque>
#include <string>
#include <vector>

#include "dataset/translation/sizes.h"
#include "dataset/translation/traced_prompt.h"

namespace kg::dataset::translation {

// One axis of windows: place k of the window at `o` is element o * step + k * apart - padding.
struct WindowAxis {
  std::int64_t width = 1, step = 1, padding = 0, apart = 1;
  bool up = false;  // the number of windows is rounded up: the last one may end outside
};

// A tensor, defined by how its elements follow from elements of others.
struct Node {
  enum class Kind {
    kInput,
    kNumber,     // text
    kCounter,    // an element's place along the only axis
    kPointwise,  // over operands that broadcast: `text` with $1 for the first one, or the entry of operator_forms.h for
                 // `line`
    kPermute,    // axes[i]: the operand's axis that is axis i
    kSlice,      // along `axis` from `from` in steps of `step`
    kSelect,     // place `from` of `axis`, which is removed
    kReshape,    // the same elements in the same order
    kExpand,     // broadcast
    kFlip,       // along `axis`
    kReduce,     // `op` (sum, amax, amin, prod) over `axes`, which are removed
    kPlace,      // the place of amax or amin along `axis`, which is removed
    kScan,       // cumsum or cumprod along `axis`
    kPick,       // of[0] at the places along `axis` given by of[1], whose axes replace it
    kGather,     // of[0] at the place along `axis` given by of[1], which has the result's axes
    kWindow,     // of [lead.., D..]: [lead.., width.., O..], outside of it `text`
    kSpread,     // [lead.., D..] with step - 1 zeros between neighbours along the last axes
    kProduct,    // matrices, [batch.., M, K] and [batch.., K, N]
    kTaps,  // convolution: of weights [K.., G, O, C] and rows [N, D.., S, G, C, W] where element w of the s-th row in a
            // place is number w * S + s there: [N, O.., G, O, W]; `window` has a step and a distance for each axis
    kJoin   // operands joined along `axis`
  };
  Kind kind = Kind::kInput;
  std::vector<int> of = {};
  std::vector<SizeId> dims = {};
  std::string type = {};  // float, half, bfloat16, int64, int32, bool, ...
  std::string name = {};  // in the prompt; may be empty
  std::string op = {}, text = {};
  TracedLine line = {};
  std::vector<int> axes = {};
  int axis = 0;
  std::int64_t from = 0, step = 1;
  std::string first = {};  // of a slice: what `from` is in terms of sizes, {N}; empty: a number of places
  std::vector<WindowAxis> window = {};
  bool in_memory = false;  // it is stored, and not computed again where it is used
  int diagonal = -1;       // kPointwise: the node of the numbers on a matrix's diagonal, if all others are 0
};

// It has elements of its operand in other places.
bool is_whole_number(const std::string& type);
bool is_move(Node::Kind kind);
// It is computed as a whole by loops of its own, not element by element.
bool is_made_whole(Node::Kind kind);

struct Graph {
  Sizes sizes;
  std::deque<Node> nodes;  // operands come before the nodes that use them; references stay valid while some are added
  std::vector<int> inputs;
  struct Output {
    std::string name, type;
    int node = 0;
  };
  std::vector<Output> outputs;

  const Node& operator[](int node) const { return nodes[static_cast<std::size_t>(node)]; }
  std::int64_t count(const std::vector<SizeId>& dims) const;
  std::int64_t size(int node, std::size_t axis) const { return sizes.number((*this)[node].dims[axis]); }
};

// An unknown operator, or an unknown use of one.
struct Unknown {
  std::string what;
};
inline void want(bool holds, const char* what) {
  if (!holds) throw Unknown{what};
}

// Throws Unknown.
Graph graph_of(const TracedPrompt& prompt);

}  // namespace kg::dataset::translation
