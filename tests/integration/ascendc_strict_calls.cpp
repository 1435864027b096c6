#include "ascendc_strict_calls.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace kg::npu::testing {
namespace {

const std::vector<std::string> kTypes = {"half",     "float",   "bfloat16_t", "int8_t",  "uint8_t", "int16_t",
                                         "uint16_t", "int32_t", "uint32_t",   "int64_t", "uint64_t"};

std::string without_const(std::string type) {
  if (type.starts_with("const ")) type = type.substr(6);
  if (type.ends_with("&")) type.pop_back();
  return type;
}

// A type of parameters that a variable of the prelude has.
std::optional<std::string> plain_argument(const std::string& type) {
  static const std::map<std::string, std::string> known = {
      {"int32_t", "i32"},
      {"uint32_t", "u32"},
      {"uint64_t", "u64"},
      {"int64_t", "i64"},
      {"uint16_t", "u16"},
      {"uint8_t", "u8"},
      {"int", "i32"},
      {"bool", "flag"},
      {"uint64_t[]", "bits"},
      {"RoundMode", "RoundMode::CAST_NONE"},
      {"CMPMODE", "CMPMODE::LT"},
      {"ReduceOrder", "ReduceOrder::ORDER_ONLY_VALUE"},
      {"BinaryRepeatParams", "binary"},
      {"UnaryRepeatParams", "unary"},
      {"CopyRepeatParams", "CopyRepeatParams()"},
      {"BrcbRepeatParams", "BrcbRepeatParams()"},
      {"DataCopyParams", "DataCopyParams()"},
      {"DataCopyExtParams", "DataCopyExtParams()"},
      {"DataCopyPadParams", "DataCopyPadParams()"},
  };
  const auto it = known.find(type);
  return it == known.end() ? std::nullopt : std::optional(it->second);
}

std::string type_parameter_of(const CallForm& form) {
  if (!form.type_parameter.empty()) return form.type_parameter;
  return form.template_parameters.find("typename T") != std::string::npos ? "T" : "";
}

// The types of the form's own row, or of a form with the same name (forms that hand on to another).
std::vector<std::string> types_of(const std::string& name, const CallForm& form, const CallForms& forms) {
  if (!form.types.empty()) return form.types;
  for (auto [it, end] = forms.equal_range(name); it != end; ++it)
    if (!it->second.types.empty() && it->second.header == form.header) return it->second.types;
  return {};
}

// Arguments of a right call for the data type; nothing if the form has a parameter that the prelude does not know.
std::optional<std::vector<std::string>> arguments(const CallForm& form, const std::string& type) {
  const std::string parameter = type_parameter_of(form);
  std::vector<std::string> result;
  for (const CallForm::Parameter& p : form.parameters) {
    if (p.optional) break;
    const std::string given = without_const(p.type);
    if (given == "LocalTensor<" + parameter + ">")
      result.push_back("local_" + type);
    else if (given == "GlobalTensor<" + parameter + ">")
      result.push_back("global_" + type);
    else if (given == "LocalTensor<uint8_t>")
      result.push_back("local_uint8_t");
    else if (given == parameter)
      result.push_back("scalar_" + type);
    else if (given == "DataCopyPadExtParams<" + parameter + ">")
      result.push_back("DataCopyPadExtParams<" + type + ">()");
    else if (const auto plain = plain_argument(given))
      result.push_back(*plain);
    else
      return std::nullopt;
  }
  return result;
}

std::string call(const std::string& name, const std::vector<std::string>& arguments) {
  std::string text = name + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) text += (i > 0 ? ", " : "") + arguments[i];
  return text + ");";
}

// Forms over tensors of one data type: what the generator can vary without knowing the call.
bool is_regular(const CallForm& form) {
  const std::string& parameters = form.template_parameters;
  const auto words = [&](const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = parameters.find(word); at != std::string::npos; at = parameters.find(word, at + 1)) ++count;
    return count;
  };
  return form.owner.empty() && words("typename") == 1 && !form.parameters.empty() &&
         form.parameters[0].type.find("Tensor<") != std::string::npos && !form.needs_template_arguments();
}

// Another form of the call has operands of several types, so a mixture may be right.
bool mixes_types(const std::string& name, const CallForms& forms) {
  for (auto [it, end] = forms.equal_range(name); it != end; ++it)
    if (!is_regular(it->second)) return true;
  return false;
}

bool some_form_takes(const std::string& name, std::size_t count, const CallForms& forms) {
  for (auto [it, end] = forms.equal_range(name); it != end; ++it)
    if (count >= it->second.least() && count <= it->second.parameters.size()) return true;
  return false;
}

}  // namespace

std::string prelude() {
  std::string text =
      "int32_t i32 = 8; uint32_t u32 = 8; uint64_t u64 = 8; int64_t i64 = 8; uint16_t u16 = 1; uint8_t u8 = 1; bool "
      "flag = false; "
      "uint64_t bits[2] = {1, 1}; BinaryRepeatParams binary; UnaryRepeatParams unary; TPipe pipe; "
      "TBuf<TPosition::VECCALC> buffer; "
      "TQue<TPosition::VECIN, 1> queue; TQue<TPosition::VECOUT, 1> outQueue; GM_ADDR address = nullptr; ";
  for (const std::string& type : kTypes)
    text += "LocalTensor<" + type + "> local_" + type + "; GlobalTensor<" + type + "> global_" + type + "; " + type +
            " scalar_" + type + "{}; ";
  return text;
}

std::vector<GeneratedCall> right_calls(const CallForms& forms) {
  std::vector<GeneratedCall> result;
  std::set<std::string> seen;
  for (const auto& [name, form] : forms) {
    if (!is_regular(form)) continue;
    for (const std::string& type : types_of(name, form, forms)) {
      const auto given = arguments(form, type);
      if (given && seen.insert(call(name, *given)).second) result.push_back({name, "", call(name, *given)});
    }
  }
  // Calls over several types, and objects.
  for (const char* statement :
       {"Cast(local_half, local_float, RoundMode::CAST_RINT, 8);",
        "Cast(local_float, local_half, RoundMode::CAST_NONE, u32);",
        "Cast(local_bfloat16_t, local_float, RoundMode::CAST_ROUND, i32);",
        "Cast(local_float, local_bfloat16_t, RoundMode::CAST_NONE, 8);",
        "Cast(local_int32_t, local_float, RoundMode::CAST_TRUNC, 8);",
        "Cast(local_float, local_int32_t, RoundMode::CAST_NONE, 8);",
        "Cast(local_half, local_int8_t, RoundMode::CAST_NONE, 8);",
        "Cast(local_uint8_t, local_half, RoundMode::CAST_TRUNC, 8);",
        "Cast(local_int64_t, local_int32_t, RoundMode::CAST_NONE, 8);",
        "Cast(local_int32_t, local_int64_t, RoundMode::CAST_NONE, 8);",
        "Cast(local_half, local_float, RoundMode::CAST_RINT, u64, u8, unary);",
        "Adds(local_half, local_half, (half)2, 8);",
        "Muls<float>(local_float, local_float, 2, 8);",
        "Adds<half>(local_half, local_half, 1.0f, 8);",
        "Duplicate<half>(local_half, 0, 8);",
        "Duplicate(local_int32_t, 3, 8);",
        "Duplicate(local_float, 0.0f, 8);",
        "Compare(local_uint8_t, local_float, local_float, CMPMODE::GT, 64);",
        "CompareScalar(local_uint8_t, local_half, (half)1, CMPMODE::EQ, 128);",
        "Select(local_half, local_uint8_t, local_half, local_half, SELMODE::VSEL_TENSOR_TENSOR_MODE, 128);",
        "Select(local_float, local_uint8_t, local_float, 1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);",
        "Axpy(local_float, local_half, (half)1, 8);",
        "MulAddDst(local_float, local_half, local_half, 8);",
        "pipe.InitBuffer(queue, 1, 256);",
        "pipe.InitBuffer(buffer, 256);",
        "local_half = queue.AllocTensor<half>();",
        "queue.EnQue(local_half);",
        "queue.EnQue<half>(local_half);",
        "local_half = queue.DeQue<half>();",
        "queue.FreeTensor(local_half);",
        "local_float = buffer.Get<float>();",
        "local_float = buffer.Get<float>(8);",
        "local_float = local_half.ReinterpretCast<float>();",
        "global_half.SetGlobalBuffer((__gm__ half*)address);",
        "global_half.SetGlobalBuffer((__gm__ half*)address + 3, 8);",
        "local_float.SetValue(0, 1.0f);",
        "local_float.SetValue(0, 1);",
        "scalar_half = local_half.GetValue(0);",
        "global_float.SetValue(3, scalar_float);",
        "SetFlag<HardEvent::MTE2_V>(EVENT_ID0);",
        "WaitFlag<HardEvent::MTE2_V>(0);",
        "PipeBarrier<PIPE_ALL>();",
        "SetAtomicAdd<float>();",
        "SyncAll();",
        "scalar_float = ToFloat(scalar_bfloat16_t);",
        "scalar_bfloat16_t = ToBfloat16(1.0f);",
        "Add(local_float[8], local_float, local_float[16], 8);",
        "local_half = local_half[u32];",
        "global_float = global_float[i64];"})
    result.push_back({"", "", statement});
  return result;
}

std::vector<GeneratedCall> wrong_calls(const CallForms& forms) {
  std::vector<GeneratedCall> result;
  std::set<std::string> seen;
  const auto add = [&](const std::string& name, const std::string& kind, const std::string& statement) {
    if (seen.insert(statement).second) result.push_back({name, kind, statement});
  };
  for (const auto& [name, form] : forms) {
    if (!is_regular(form)) continue;
    const std::vector<std::string> types = types_of(name, form, forms);
    if (types.empty()) continue;
    const auto given = arguments(form, types.front());
    if (!given) continue;
    const std::string& type = types.front();
    const std::string other = type == "half" ? "float" : "half";
    auto changed = *given;
    changed.pop_back();
    if (!some_form_takes(name, changed.size(), forms)) add(name, "too few arguments", call(name, changed));
    changed = *given;
    changed.insert(changed.end(), 3, "i32");
    if (!some_form_takes(name, changed.size(), forms)) add(name, "too many arguments", call(name, changed));
    // The operands of one call have one type; which tensor is changed varies with the call.
    std::vector<std::size_t> tensors;
    for (std::size_t i = 0; i < given->size(); ++i)
      if ((*given)[i] == "local_" + type) tensors.push_back(i);
    if (tensors.size() >= 2 && !mixes_types(name, forms)) {
      changed = *given;
      changed[tensors[result.size() % tensors.size()]] = "local_" + other;
      add(name, "mixed data types", call(name, changed));
    }
    if (!tensors.empty() && name != "DataCopy" && name != "DataCopyPad") {
      changed = *given;
      changed[tensors[result.size() % tensors.size()]] = "global_" + type;
      add(name, "GM tensor where one in UB is wanted", call(name, changed));
      changed = *given;
      std::swap(changed[tensors.front()], changed.back());
      if (changed.back() != changed[tensors.front()]) add(name, "operands in another order", call(name, changed));
    }
    if (!tensors.empty()) {
      changed = *given;
      changed[tensors.back()] = "address";
      add(name, "address where a tensor is wanted", call(name, changed));
    }
    for (std::size_t i = 0; i < given->size(); ++i)
      if ((*given)[i] == "scalar_" + type && tensors.size() >= 1) {
        changed = *given;
        changed[i] = type == "half" ? "1.0f" : "2.0";
        add(name, "literal of another type", call(name, changed));
      }
    if (form.types.empty()) continue;
    for (const std::string& wrong : kTypes)
      if (std::find(types.begin(), types.end(), wrong) == types.end())
        if (const auto refused = arguments(form, wrong)) {
          add(name, "data type", call(name, *refused));
          break;
        }
  }
  const std::vector<GeneratedCall> objects = {
      {"EnQue", "lifetime", "queue.EnQue();"},
      {"EnQue", "lifetime", "queue.EnQue(local_half, local_half);"},
      {"EnQue", "lifetime", "queue.EnQue(global_half);"},
      {"DeQue", "lifetime", "queue.DeQue();"},
      {"LocalTensor<half>", "lifetime", "LocalTensor<half> t = queue.DeQue<float>();"},
      {"LocalTensor<half>", "lifetime", "LocalTensor<half> t = queue.AllocTensor<float>();"},
      {"AllocTensor", "lifetime", "queue.AllocTensor();"},
      {"AllocTensor", "lifetime", "local_half = buffer.AllocTensor<half>();"},
      {"FreeTensor", "lifetime", "queue.FreeTensor();"},
      {"FreeTensor", "lifetime", "queue.FreeTensor(queue.DeQue<half>());"},
      {"FreeTensor", "lifetime", "buffer.FreeTensor(local_half);"},
      {"Get", "lifetime", "local_half = buffer.Get();"},
      {"Get", "lifetime", "local_half = queue.Get<half>();"},
      {"InitBuffer", "lifetime", "pipe.InitBuffer(queue, 256);"},
      {"InitBuffer", "lifetime", "pipe.InitBuffer(local_half, 1, 256);"},
      {"InitBuffer", "lifetime", "pipe.InitBuffer(buffer, 1, 256);"},
      {"InitBuffer", "lifetime", "pipe.InitBuffer();"},
      {"TPipe", "lifetime", "TPipe copy = pipe;"},
      {"operator '='", "lifetime", "pipe = TPipe();"},
      {"VECIN", "lifetime", "TQue<VECIN, 1> q;"},
      {"TQue", "lifetime", "TQue<QuePosition::VECIN> q;"},
      {"TQue", "lifetime", "TQue q;"},
      {"LocalTensor", "lifetime", "LocalTensor t;"},
      {"SetGlobalBuffer", "lifetime", "global_float.SetGlobalBuffer(address);"},
      {"SetGlobalBuffer", "lifetime", "global_float.SetGlobalBuffer((float*)nullptr, 8);"},
      {"SetGlobalBuffer", "lifetime", "global_float.SetGlobalBuffer((__gm__ half*)address);"},
      {"SetGlobalBuffer", "lifetime", "local_float.SetGlobalBuffer((__gm__ float*)address);"},
      {"GetValue", "lifetime", "local_float.GetValue();"},
      {"LocalTensor<float>", "lifetime", "local_float->GetValue(0);"},
      {"SetValue", "lifetime", "local_float.SetValue(1);"},
      {"GlobalTensor<float>", "lifetime", "local_float = global_float;"},
      {"inner", "lifetime", "{ LocalTensor<float> inner; } Exp(inner, inner, 8);"},
      {"missing", "lifetime", "Add(local_float, local_float, missing, 8);"},
      {"this", "lifetime", "Exp(local_float, local_float, this->tileLength);"},
      {"data", "lifetime", "local_float.data();"},
      {"size", "lifetime", "local_float.size();"},
      {"SetFlag", "lifetime", "SetFlag(HardEvent::MTE2_V, 0);"},
      {"SetFlag", "lifetime", "SetFlag<HardEvent::MTE2_V>();"},
      {"WaitFlag", "lifetime", "WaitFlag<PIPE_V>(0);"},
      {"PipeBarrier", "lifetime", "PipeBarrier(PIPE_V);"},
      {"SetAtomicAdd", "lifetime", "SetAtomicAdd();"},
      {"SetAtomicAdd", "lifetime", "SetAtomicAdd<uint64_t>();"},
      {"GetBlockIdx", "lifetime", "i64 = GetBlockIdx(0);"},
      {"CAST_RINT", "enumerator", "Cast(local_half, local_float, CAST_RINT, 8);"},
      {"CAST_FOO", "enumerator", "Cast(local_half, local_float, RoundMode::CAST_FOO, 8);"},
      {"Cast", "enumerator", "Cast(local_half, local_float, CMPMODE::LT, 8);"},
      {"Cast", "signature", "Cast(local_half, local_float, 8);"},
      {"Cast", "signature", "Cast(local_half, local_float, 8, RoundMode::CAST_NONE);"},
      {"Cast", "data type", "Cast(local_bfloat16_t, local_half, RoundMode::CAST_NONE, 8);"},
      {"Cast", "data type", "Cast(local_uint8_t, local_float, RoundMode::CAST_NONE, 8);"},
      {"Cast", "data type", "Cast(local_float, local_uint8_t, RoundMode::CAST_NONE, 8);"},
      {"Cast", "data type", "Cast(local_half, local_bfloat16_t, RoundMode::CAST_NONE, 8);"},
      {"Compare", "data type", "Compare(local_float, local_float, local_float, CMPMODE::LT, 64);"},
      {"LT", "enumerator", "Compare(local_uint8_t, local_float, local_float, LT, 64);"},
      {"Select", "signature", "Select(local_half, local_half, local_half, local_uint8_t, 128);"},
      {"Duplicate", "data type", "Duplicate(local_half, 1.0f, 8);"},
      {"Duplicate", "data type", "Duplicate(local_float, 0, 8);"},
      {"operands", "data type", "scalar_bfloat16_t = scalar_bfloat16_t + scalar_bfloat16_t;"},
      {"ToFloat", "signature", "scalar_float = ToFloat(scalar_half, 1);"},
      {"Softmax", "unknown call", "Softmax(local_float, local_float, 8);"},
      {"Add2", "unknown call", "Add2(local_float, local_float, 8);"},
      {"vec_add", "unknown call", "vec_add(local_float, local_float, 8);"},
  };
  for (const GeneratedCall& wrong : objects) add(wrong.name, wrong.kind, wrong.statement);
  return result;
}

}  // namespace kg::npu::testing
