#include "dataset/benchmarks/stored_cases.h"

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "dataset/benchmarks/case_form.h"
#include "dataset/benchmarks/suite.h"
#include "proto/dtype.h"

namespace kg::dataset::benchmarks {
namespace {

// A case beyond it is made without fp64 outputs, which take eight bytes an element three times over.
constexpr std::uint64_t kStrictBytes = 256 << 20;

proto::Tensor tensor_from(proto::CaseTensor& stored) {
  proto::Tensor tensor;
  tensor.set_dtype(stored.dtype());
  for (const std::uint64_t extent : stored.shape()) tensor.add_shape(static_cast<std::int64_t>(extent));
  tensor.set_data(std::move(*stored.mutable_data()));
  return tensor;
}

void copy_place(const proto::TensorSpec& spec, proto::Tensor& tensor) {
  tensor.set_name(spec.name());
  tensor.set_kind(spec.kind());
  tensor.set_absent(spec.absent());
  tensor.set_format(spec.format());
  *tensor.mutable_storage_shape() = spec.storage_shape();
}

bool is_held(const proto::CaseTensor& tensor) { return tensor.data().size() == tensor.byte_count(); }
bool is_golden(const proto::CaseTensor& tensor) { return tensor.role() == proto::CaseTensor::GOLDEN; }

bool same_specs(const google::protobuf::RepeatedPtrField<proto::TensorSpec>& a,
                const google::protobuf::RepeatedPtrField<proto::TensorSpec>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& two) {
    return one.dtype() == two.dtype() && one.absent() == two.absent() &&
           std::equal(one.shape().begin(), one.shape().end(), two.shape().begin(), two.shape().end());
  });
}

// Other inputs may give outputs of other shapes, which the case has no room for.
bool same_form(const proto::TaskCase& task_case, const proto::TaskCase& other) {
  return same_specs(task_case.inputs(), other.inputs()) && same_specs(task_case.outputs(), other.outputs()) &&
         task_case.result_form() == other.result_form();
}

// The sizes that a scaled case was made at: without them the reference would run at those of its file.
void at_its_extents(const proto::TaskCase& task_case, nlohmann::json& request) {
  const auto call = nlohmann::json::parse(task_case.call(), nullptr, /*allow_exceptions=*/false);
  if (call.is_object() && call.contains("extents")) request["extents"] = call.at("extents");
}

std::string place(const proto::CaseTensor& tensor) {
  return proto::CaseTensor::Role_Name(tensor.role()) + " " + std::to_string(tensor.index());
}

}  // namespace

reward::BenchmarkCase benchmark_case_of(const proto::TaskCase& task_case, std::vector<proto::CaseTensor> tensors) {
  reward::BenchmarkCase made;
  for (const proto::TensorSpec& spec : task_case.inputs()) {
    proto::Tensor& tensor = made.inputs.emplace_back();
    tensor.set_dtype(spec.dtype());
    *tensor.mutable_shape() = spec.shape();
    copy_place(spec, tensor);
  }
  for (proto::CaseTensor& stored : tensors) {
    if (stored.role() == proto::CaseTensor::INPUT) {
      proto::Tensor& tensor = made.inputs.at(stored.index());
      tensor = tensor_from(stored);
      copy_place(task_case.inputs(static_cast<int>(stored.index())), tensor);
    } else if (stored.role() == proto::CaseTensor::GOLDEN) {
      if (made.golden.size() <= stored.index()) made.golden.resize(stored.index() + 1);
      made.golden[stored.index()] = tensor_from(stored);
    } else {
      if (made.golden64.size() <= stored.index()) made.golden64.resize(stored.index() + 1);
      made.golden64[stored.index()] = operators::to_golden(tensor_from(stored));
    }
  }
  return made;
}

StoredCases::StoredCases(const Dataset& data, WorkerOptions options) : data_(data), options_(std::move(options)) {}

reward::BenchmarkCase StoredCases::get(const proto::Task& task, int case_index) {
  const proto::TaskCase& task_case = task.cases(case_index);
  std::vector<proto::CaseTensor> tensors = data_.tensors(task.id(), static_cast<std::uint32_t>(case_index));
  const bool whole =
      std::all_of(tensors.begin(), tensors.end(), is_held) && std::any_of(tensors.begin(), tensors.end(), is_golden);
  if (!whole && !reward::is_own(task)) make_again(task, case_index, tensors);
  reward::BenchmarkCase made = benchmark_case_of(task_case, std::move(tensors));
  if (made.golden64.empty() && proto::byte_size(task_case) > kStrictBytes)
    made.no_golden64 = "fp64 outputs are not made for cases of more than 256 MB";
  for (const std::string& note : task_case.notes())
    if (made.golden64.empty() && note.starts_with("no fp64 outputs")) made.no_golden64 = note;
  return made;
}

reward::BenchmarkCases StoredCases::source() {
  return {.get = [this](const proto::Task& task, int index) { return get(task, index); },
          .other = [this](const proto::Task& task, int index,
                          const reward::OtherInputs& inputs) { return other(task, index, inputs); }};
}

bool StoredCases::reference_is_at_hand(const proto::Task& task) const {
  const std::string checkout =
      options_.checkout.empty() ? data_.meta(task.suite() + ".checkout").value_or("") : options_.checkout;
  return !checkout.empty() && fs::exists(checkout) && python_is_there(options_);
}

std::optional<reward::BenchmarkCase> StoredCases::other(const proto::Task& task, int case_index,
                                                        const reward::OtherInputs& inputs) {
  const std::lock_guard lock(mutex_);
  const std::string where = task.id() + " case " + std::to_string(case_index);
  if (!reference_is_at_hand(task)) return std::nullopt;
  std::vector<proto::CaseTensor> tensors;
  nlohmann::json request = {{"do", "other"},
                            {"task", task.id()},
                            {"row", case_index},
                            {"seed", inputs.seed >> 33},  // PyTorch and numpy take 32 bits
                            {"wide", inputs.wide}};
  at_its_extents(task.cases(case_index), request);
  const auto answer = worker_of(task, where).ask(request, [&](const nlohmann::json& header, std::string&& bytes) {
    tensors.push_back(tensor_of(task.id(), case_index, header, bytes));
    tensors.back().set_data(std::move(bytes));
  });
  if (!answer.error.empty()) {
    spdlog::warn("{}: not judged on other inputs: {}", where, answer.error);
    return std::nullopt;
  }
  const proto::TaskCase& task_case = task.cases(case_index);
  if (!same_form(task_case, case_of(answer.object))) return std::nullopt;
  return benchmark_case_of(task_case, std::move(tensors));
}

void StoredCases::make_again(const proto::Task& task, int case_index, std::vector<proto::CaseTensor>& tensors) {
  const std::lock_guard lock(mutex_);
  const std::string where = task.id() + " case " + std::to_string(case_index);
  WorkerProcess& worker = worker_of(task, where);
  // Expected outputs that the data set holds are not computed again: only the inputs are drawn.
  const bool expects = std::none_of(tensors.begin(), tensors.end(), is_golden) ||
                       !std::all_of(tensors.begin(), tensors.end(), [](const proto::CaseTensor& tensor) {
                         return tensor.role() == proto::CaseTensor::INPUT || is_held(tensor);
                       });
  const bool strict = proto::byte_size(task.cases(case_index)) <= kStrictBytes;
  std::vector<proto::CaseTensor> made;
  nlohmann::json request = {{"do", "case"},        {"task", task.id()},
                            {"row", case_index},   {"keep_bytes", strict ? 0 : 1},
                            {"expected", expects}, {"prompts", false}};
  at_its_extents(task.cases(case_index), request);
  const auto answer = worker.ask(request, [&](const nlohmann::json& header, std::string&& bytes) {
    made.push_back(tensor_of(task.id(), case_index, header, bytes));
    made.back().set_data(std::move(bytes));
  });
  if (!answer.error.empty())
    throw Error("the case could not be made again: " + answer.error, where, "look at its messages above",
                Error::Kind::kEnvironment);
  for (proto::CaseTensor& known : tensors) {
    if (!expects && known.role() != proto::CaseTensor::INPUT) {
      made.push_back(std::move(known));
      continue;
    }
    const auto same = std::find_if(made.begin(), made.end(), [&](const auto& other) {
      return other.role() == known.role() && other.index() == known.index();
    });
    const bool differs = same == made.end() || same->hash() != known.hash();
    // Sums of floats may end in other bits on another processor; inputs are drawn the same everywhere.
    if (differs && same != made.end() && known.role() != proto::CaseTensor::INPUT)
      spdlog::warn("{}: {} has different bits than when it was imported", where, place(known));
    else if (differs)
      throw Error(place(known) + ", made again, differs from what was imported", where,
                  "use the Python packages that the import used, or import again", Error::Kind::kEnvironment);
  }
  tensors = std::move(made);
}

WorkerProcess& StoredCases::worker_of(const proto::Task& task, const std::string& where) {
  std::unique_ptr<WorkerProcess>& worker = workers_[task.suite()];
  if (worker) return *worker;
  const Suite& suite = suite_named(task.suite());
  WorkerOptions options = options_;
  if (options.checkout.empty()) options.checkout = data_.meta(task.suite() + ".checkout").value_or("");
  if (options.checkout.empty() || !fs::exists(options.checkout))
    throw Error(
        "the case is too large to be kept in the data set and is made again by the benchmark's own code, whose "
        "checkout is "
        "not at " +
            options.checkout,
        where, "name the checkout with --checkout DIR, or judge smaller cases with --case", Error::Kind::kEnvironment);
  worker = std::make_unique<WorkerProcess>(suite, std::move(options));
  return *worker;
}

}  // namespace kg::dataset::benchmarks
