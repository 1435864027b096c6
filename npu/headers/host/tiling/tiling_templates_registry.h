#pragma once

#include <map>
#include <memory>
#include <string>

#include "tiling/tiling_base.h"

// The tiling classes of an operator, by priority: the lowest number is asked first.

namespace optiling {

class TilingRegistry {
 public:
  using Maker = std::unique_ptr<TilingBaseClass> (*)(gert::TilingContext*);
  static TilingRegistry& GetInstance() {
    static TilingRegistry registry;
    return registry;
  }
  // The name may be a string or a word: REGISTER_TILING_TEMPLATE("Add", ...), REGISTER_TILING_TEMPLATE(Add, ...).
  int Register(std::string op_type, int32_t priority, Maker make) {
    if (op_type.size() > 1 && op_type.front() == '"') op_type = op_type.substr(1, op_type.size() - 2);
    makers_[op_type][priority] = make;
    return 0;
  }
  ge::graphStatus DoTilingImpl(gert::TilingContext* context) {
    for (const auto& [priority, make] : makers_[context->GetNodeType()])
      if (const ge::graphStatus status = make(context)->DoTiling(); status != ge::GRAPH_PARAM_INVALID) return status;
    return ge::GRAPH_FAILED;
  }
  ge::graphStatus DoTilingImpl(gert::TilingContext* context, const std::vector<int32_t>& priorities) {
    for (const int32_t priority : priorities) {
      const auto make = makers_[context->GetNodeType()].find(priority);
      if (make == makers_[context->GetNodeType()].end()) continue;
      if (const ge::graphStatus status = make->second(context)->DoTiling(); status != ge::GRAPH_PARAM_INVALID)
        return status;
    }
    return ge::GRAPH_FAILED;
  }

 private:
  std::map<std::string, std::map<int32_t, Maker>> makers_;
};

}  // namespace optiling

#define KG_TILING_TEMPLATE(op_type, class_name, priority)                                                          \
  static const int KG_JOIN(kg_tiling_template_, __COUNTER__) __attribute__((unused)) =                             \
      ::optiling::TilingRegistry::GetInstance().Register(                                                          \
          op_type, priority, [](gert::TilingContext* kg_context) -> std::unique_ptr<::optiling::TilingBaseClass> { \
            return std::make_unique<class_name>(kg_context);                                                       \
          })
#define REGISTER_TILING_TEMPLATE(op_type, class_name, priority) KG_TILING_TEMPLATE(#op_type, class_name, priority)
#define REGISTER_OPS_TILING_TEMPLATE(op_type, class_name, priority) KG_TILING_TEMPLATE(#op_type, class_name, priority)
