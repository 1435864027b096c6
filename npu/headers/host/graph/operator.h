#pragma once

#include <cstdint>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/tensor.h"

// A node of a graph, the parameter of a definition's hooks (SetCheckSupport, SetOpSelectFormat). There is no graph here
// and nobody calls them: it describes no tensor.

namespace ge {

class TensorDesc {
 public:
  Shape GetShape() const { return {}; }
  Shape GetOriginShape() const { return {}; }
  DataType GetDataType() const { return DT_UNDEFINED; }
  Format GetFormat() const { return FORMAT_ND; }
  Format GetOriginFormat() const { return FORMAT_ND; }
};

class Operator {
 public:
  graphStatus GetName(AscendString&) const { return GRAPH_FAILED; }
  graphStatus GetOpType(AscendString&) const { return GRAPH_FAILED; }
  size_t GetInputsSize() const { return 0; }
  size_t GetOutputsSize() const { return 0; }
  TensorDesc GetInputDesc(uint32_t) const { return {}; }
  TensorDesc GetInputDescByName(const char*) const { return {}; }
  TensorDesc GetOutputDesc(uint32_t) const { return {}; }
  TensorDesc GetOutputDescByName(const char*) const { return {}; }
  template <typename T>
  graphStatus GetAttr(const char*, T&) const {
    return GRAPH_FAILED;
  }
};

}  // namespace ge
