#include "npu/host/host_side.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <exception>

#include "base/error.h"
#include "graph/utils/type_utils.h"
#include "npu/host/attributes.h"
#include "npu/host/function_name.h"
#include "npu/host/node.h"
#include "npu/host/registry.h"
#include "npu/host/slots.h"
#include "npu/host/template_keys.h"
#include "npu/host/tiling_struct.h"
#include "proto/dtype.h"
#include "proto/fault.h"

namespace kg::npu {
namespace {

constexpr std::size_t kMostTilingData = 64 << 10;

void add_fault(proto::HostPlan& plan, proto::FaultSeverity severity, const std::string& message) {
  proto::add_fault(plan, proto::FaultClass::kHost, message, severity);
}

// The tiling buffer ends at an inaccessible page, so that writing beyond it is seen.
void* guarded_bytes(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t body = (bytes + page - 1) / page * page;
  void* base = ::mmap(nullptr, body + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED || ::mprotect(static_cast<char*>(base) + body, page, PROT_NONE) != 0)
    throw Error("cannot map the tiling data", "host side", "raise the memory limit of the run",
                Error::Kind::kEnvironment);
  return static_cast<char*>(base) + (body - bytes);
}

gert::Shape shape_of(const auto& extents) {
  gert::Shape shape;
  for (const std::int64_t extent : extents) shape.AppendDim(extent);
  return shape;
}

gert::StorageShape storage_shape_of(const auto& tensor) {
  const gert::Shape origin = shape_of(tensor.shape());
  return {origin, tensor.storage_shape().empty() ? origin : shape_of(tensor.storage_shape())};
}

gert::CompileTimeTensorDesc desc_of(const proto::HostPlan::Slot& slot, const auto& tensor) {
  return {host_type(slot.dtype()), gert::StorageFormat(ge::FORMAT_ND, host_format(tensor.format()))};
}

std::string status_text(ge::graphStatus status) {
  return status == ge::GRAPH_FAILED ? "GRAPH_FAILED" : "status " + std::to_string(status);
}

// What a tiling function has set, which shows how far it came.
std::string settings(const kgnpu_host::Node& node) {
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  if (node.block_dim != 0) add("block dimension " + std::to_string(node.block_dim));
  if (node.tiling_key != 0) add("tiling key " + std::to_string(node.tiling_key));
  if (node.workspace_number != 0) add(std::to_string(node.workspace_number) + " workspace sizes");
  if (node.tiling->GetDataSize() != 0) add(std::to_string(node.tiling->GetDataSize()) + " bytes of tiling data");
  return text.empty() ? "it had set nothing yet" : "it had set " + text;
}

std::string nulls(const kgnpu_host::Node& node) {
  std::string text;
  for (const std::string& getter : node.nulls) text += (text.empty() ? "" : ", ") + getter;
  return text.empty() ? text : "; null pointers that the context gave it: " + text;
}

// One run of a host side. Each step throws Error, or adds a fault, for what the project does wrong.
class HostSide {
 public:
  HostSide(const proto::RunCase& run_case, const std::function<void(const proto::HostPlan&)>& before)
      : case_(run_case), before_(before) {}

  proto::HostPlan run(const std::string& shared_object, const std::string& entry_point) {
    try {
      load(shared_object);
      choose(entry_point);
      signature_ = signature_of(*definition_);
      match_slots(signature_, case_, plan_);
      // Lets the kernel be compiled even if tiling fails; a template needs its arguments.
      if (!has_template_parameters()) plan_.set_prologue(prologue());
      make_node();
      if (!tile()) return plan_;
      take_results();
      infer();
    } catch (const Error& error) {
      add_fault(plan_, proto::ERROR, std::string(error.what()) + "; " + error.hint());
    } catch (const std::exception& error) {
      add_fault(plan_, proto::ERROR, "the host side threw an exception in " + step_ + ": " + error.what());
    }
    return plan_;
  }

 private:
  // The project's code comes next.
  void announce(const std::string& step) {
    step_ = step;
    proto::HostPlan if_it_dies = plan_;
    add_fault(if_it_dies, plan_.can_launch() ? proto::WARNING : proto::ERROR,
              "the host side crashed in " + step +
                  "; look for null pointers (a context's getters return them for what is not there) and for writes "
                  "beyond the tiling data");
    before_(if_it_dies);
  }

  // "the tiling function optiling::TilingFunc returned GRAPH_FAILED".
  template <typename Function>
  std::string failure(const std::string& step, Function* function, ge::graphStatus status) const {
    const std::string name = function_name(shared_object_, reinterpret_cast<const void*>(function));
    return step + (name.empty() ? "" : " " + name) + " returned " + status_text(status);
  }

  void load(const std::string& shared_object) {
    shared_object_ = shared_object;
    announce("an initialiser of a global variable");
    if (dlopen(shared_object.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
      std::string why = dlerror();
      if (const std::size_t at = why.find("undefined symbol: "); at != std::string::npos) why = why.substr(at);
      throw Error("the host side does not link: " + why, "host side",
                  "define the function, or add the file that does to op_host");
    }
  }

  void choose(const std::string& entry_point) {
    auto& operators = host_registry().operators;
    if (operators.empty())
      throw Error("the project defines no operator", "host side", "derive from OpDef and register it with OP_ADD");
    auto chosen = operators.begin();
    if (operators.size() > 1)
      chosen = std::find_if(operators.begin(), operators.end(),
                            [&](const auto& entry) { return snake_case(entry.first) == entry_point; });
    if (chosen == operators.end())
      throw Error(
          "the project defines " + std::to_string(operators.size()) + " operators and none is \"" + entry_point + "\"",
          "host side", "name the operator as the task does");
    announce("the constructor of " + chosen->first);
    definition_ = std::make_unique<ops::OpDef>(chosen->second(chosen->first.c_str()));
    for (const auto& [soc, make] : host_registry().configs[chosen->first])
      if (!definition_->kg_ai_core.kg_configs.contains(soc)) definition_->kg_ai_core.kg_configs[soc] = make();
    functions_ = host_registry().functions[chosen->first];
    std::string kernel = snake_case(chosen->first);
    for (const auto& [soc, config] : definition_->kg_ai_core.kg_configs)
      if (const auto file = config.kg_extra.find("opFile.value"); file != config.kg_extra.end()) kernel = file->second;
    plan_.set_kernel(kernel);
    if (definition_->kg_ai_core.kg_tiling != nullptr) functions_.tiling = definition_->kg_ai_core.kg_tiling;
    if (definition_->kg_infer_shape != nullptr) functions_.infer_shape = definition_->kg_infer_shape;
    if (definition_->kg_infer_data_type != nullptr) functions_.infer_data_type = definition_->kg_infer_data_type;
    if (functions_.tiling == nullptr)
      throw Error("the operator has no tiling function", "host side",
                  "AICore().SetTiling(...), or IMPL_OP_OPTILING(" + chosen->first + ").Tiling(...)");
  }

  bool is_host_readable(std::size_t input) const {
    const auto& listed = functions_.value_dependent;
    return signature_.inputs[input]->kg_value_depend ||
           std::find(listed.begin(), listed.end(), static_cast<int>(input)) != listed.end();
  }

  void make_node() {
    node_.type = definition_->kg_op_type;
    node_.name = definition_->kg_op_type + "_1";
    for (int i = 0; i < plan_.inputs_size(); ++i) {
      const proto::HostPlan::Slot& slot = plan_.inputs(i);
      node_.input_slots.emplace_back(static_cast<std::uint32_t>(node_.inputs.size()),
                                     static_cast<std::uint32_t>(slot.tensors_size()));
      for (const int index : slot.tensors()) {
        const proto::Tensor& tensor = case_.inputs(index);
        node_.inputs.push_back(desc_of(slot, tensor));
        node_.input_shapes.push_back(storage_shape_of(tensor));
        bool readable = is_host_readable(static_cast<std::size_t>(i));
        const std::uint64_t bytes =
            static_cast<std::uint64_t>(proto::element_count(tensor.shape())) * proto::element_size(tensor.dtype());
        if (readable && tensor.data().empty() && bytes > 0) {
          readable = false;
          add_fault(plan_, proto::WARNING,
                    "the host side cannot read the values of \"" + tensor.name() + "\", which has " +
                        std::to_string(bytes) + " bytes; compute what depends on so much data on the device");
        }
        node_.input_tensors.emplace_back(node_.input_shapes.back(), node_.inputs.back().GetFormat(),
                                         node_.inputs.back().GetDataType(), readable ? tensor.data().data() : nullptr,
                                         bytes);
      }
    }
    for (const proto::HostPlan::Slot& slot : plan_.outputs()) {
      node_.output_slots.emplace_back(static_cast<std::uint32_t>(node_.outputs.size()),
                                      static_cast<std::uint32_t>(slot.tensors_size()));
      for (const int index : slot.tensors()) {
        node_.outputs.push_back(desc_of(slot, case_.outputs(index)));
        node_.output_shapes.push_back(storage_shape_of(case_.outputs(index)));
      }
    }
    node_.attributes = make_attributes(*definition_, case_, [this](const std::string& warning) {
      add_fault(plan_, proto::WARNING, warning);
      if (!step_.empty()) announce(step_);  // the project's code goes on, and may die of it
    });
    const std::size_t capacity = functions_.most_tiling_data > 0 ? functions_.most_tiling_data : kMostTilingData;
    node_.tiling = std::make_unique<gert::TilingData>(guarded_bytes(capacity), capacity);
    node_.inferred_shapes.resize(node_.outputs.size());
    node_.inferred_types.assign(node_.outputs.size(), ge::DT_UNDEFINED);
  }

  bool tile() {
    if (functions_.parse != nullptr) {
      announce("the TilingParse function");
      node_.compile_info = functions_.make_compile_info();
      gert::TilingParseContext context(node_);
      if (const ge::graphStatus status = functions_.parse(&context); status != ge::GRAPH_SUCCESS) {
        add_fault(plan_, proto::ERROR, failure("the TilingParse function", functions_.parse, status));
        return false;
      }
      node_.compile_info_ready = true;
    }
    announce("the tiling function");
    gert::TilingContext context(node_);
    if (const ge::graphStatus status = functions_.tiling(&context); status != ge::GRAPH_SUCCESS) {
      add_fault(plan_, proto::ERROR,
                failure("the tiling function", functions_.tiling, status) + "; " + settings(node_) + nulls(node_));
      return false;
    }
    if (node_.tiling->GetDataSize() > node_.tiling->GetCapacity())
      throw Error("SetDataSize(" + std::to_string(node_.tiling->GetDataSize()) + ") on tiling data of at most " +
                      std::to_string(node_.tiling->GetCapacity()) + " bytes",
                  "host side", "shrink the tiling structure");
    if (node_.block_dim == 0)
      throw Error("the tiling function sets no block dimension", "host side",
                  "call context->SetBlockDim with 1 or more");
    return true;
  }

  void take_results() {
    proto::HostResult& result = *plan_.mutable_result();
    result.set_block_dim(node_.block_dim);
    result.set_tiling_key(node_.tiling_key);
    for (std::size_t i = 0; i < node_.workspace_number; ++i) result.add_workspaces(node_.workspaces[i]);
    result.set_tiling_data(node_.tiling->GetData(), node_.tiling->GetDataSize());
    for (std::size_t i = 0; i < signature_.outputs.size(); ++i) {
      if (signature_.outputs[i]->kg_writes_shape) result.set_writes_shapes(true);
      // Without SetNeedAtomic the definition's InitValue has no effect, and a call of one operator only zeroes.
      const auto& initial = signature_.outputs[i]->kg_initial;
      if (node_.need_atomic && !initial.empty() &&
          std::ranges::all_of(initial, [](const auto& value) { return value.scalar_num.value_u64 == 0; }))
        plan_.mutable_outputs(static_cast<int>(i))->set_cleared(true);
      if (!node_.need_atomic && !initial.empty())
        add_fault(plan_, proto::WARNING,
                  "InitValue of output \"" + signature_.outputs[i]->kg_name +
                      "\" has no effect: the tiling function does not call context->SetNeedAtomic(true)");
    }
    plan_.set_prologue(prologue());
    plan_.set_can_launch(true);
  }

  std::string prologue() const {
    std::string text = "#undef TILING_KEY_VAR\n#define TILING_KEY_VAR " + std::to_string(node_.tiling_key) + "UL\n";
    const auto define = [&](const proto::HostPlan::Slot& slot, const auto& tensors) {
      std::string name = slot.name();
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
      if (slot.dtype() == proto::DTYPE_UNSPECIFIED) return;
      const ge::Format format = slot.tensors().empty() ? ge::FORMAT_ND : host_format(tensors[slot.tensors(0)].format());
      const std::string type = slot.dtype() == proto::COMPLEX64 ? "__complex64" : proto::ascendc_type(slot.dtype());
      text += "#define DTYPE_" + name + " " + type + "\n#define ORIG_DTYPE_" + name + " " +
              ge::TypeUtils::DataTypeToSerialString(host_type(slot.dtype())) + "\n#define FORMAT_" + name + " FORMAT_" +
              ge::TypeUtils::FormatToSerialString(format) + "\n";
    };
    for (const auto& slot : plan_.inputs()) define(slot, case_.inputs());
    for (const auto& slot : plan_.outputs())
      if (slot.in_place_of().empty()) define(slot, case_.outputs());
    if (const std::string arguments = template_arguments(node_.tiling_key); !arguments.empty())
      text +=
          "#define KG_TEMPLATE_ARGUMENTS " + arguments + "  // " + named_template_arguments(node_.tiling_key) + "\n";
    if (const auto type = template_task_type(node_.tiling_key))
      text += "#define KG_TEMPLATE_TASK_TYPE " + std::to_string(*type) + "\n";
    return text + tiling_structures(definition_->kg_op_type, node_.tiling_key);
  }

  void infer() {
    if (functions_.infer_shape != nullptr) {
      announce("the InferShape function");
      gert::InferShapeContext context(node_);
      if (const ge::graphStatus status = functions_.infer_shape(&context); status != ge::GRAPH_SUCCESS)
        return add_fault(plan_, proto::WARNING, failure("the InferShape function", functions_.infer_shape, status));
    }
    if (functions_.infer_data_type != nullptr) {
      announce("the InferDataType function");
      gert::InferDataTypeContext context(node_);
      if (const ge::graphStatus status = functions_.infer_data_type(&context); status != ge::GRAPH_SUCCESS)
        return add_fault(plan_, proto::WARNING,
                         failure("the InferDataType function", functions_.infer_data_type, status));
    }
    if (functions_.infer_shape == nullptr && functions_.infer_data_type == nullptr) return;
    std::size_t index = 0;
    for (const proto::HostPlan::Slot& slot : plan_.outputs())
      for (const int tensor : slot.tensors()) compare_inferred(case_.outputs(tensor), index++);
  }

  // Callers bring their own outputs, so that a wrong inference shows only elsewhere.
  void compare_inferred(const proto::TensorSpec& wanted, std::size_t index) {
    proto::TensorSpec& found = *plan_.mutable_result()->add_inferred();
    found.set_name(wanted.name());
    found.set_dtype(proto_type(node_.inferred_types[index]));
    const gert::Shape& shape = node_.inferred_shapes[index];
    for (std::size_t axis = 0; axis < shape.GetDimNum(); ++axis) found.add_shape(shape.GetDim(axis));
    if (functions_.infer_shape != nullptr && shape != shape_of(wanted.shape()))
      add_fault(plan_, proto::WARNING, "InferShape gives output \"" + wanted.name() + "\" another shape than the task");
    if (functions_.infer_data_type != nullptr && found.dtype() != wanted.dtype())
      add_fault(plan_, proto::WARNING,
                "InferDataType gives output \"" + wanted.name() + "\" another type than the task");
  }

  const proto::RunCase& case_;
  const std::function<void(const proto::HostPlan&)>& before_;
  proto::HostPlan plan_;
  std::string step_, shared_object_;
  std::unique_ptr<ops::OpDef> definition_;
  HostFunctions functions_;
  Signature signature_;
  kgnpu_host::Node node_;
};

}  // namespace

proto::HostPlan run_host_side(const std::string& shared_object, const std::string& entry_point,
                              const proto::RunCase& run_case,
                              const std::function<void(const proto::HostPlan&)>& before) {
  return HostSide(run_case, before).run(shared_object, entry_point);
}

std::string snake_case(const std::string& op_type) {
  std::string text;
  const auto is = [&](std::size_t i, int (*kind)(int)) {
    return i < op_type.size() && kind(static_cast<unsigned char>(op_type[i])) != 0;
  };
  for (std::size_t i = 0; i < op_type.size(); ++i) {
    const bool starts_word =
        i > 0 && is(i, std::isupper) &&
        (is(i - 1, std::islower) || is(i - 1, std::isdigit) || (is(i - 1, std::isupper) && is(i + 1, std::islower)));
    if (starts_word) text += '_';
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(op_type[i])));
  }
  return text;
}

}  // namespace kg::npu
