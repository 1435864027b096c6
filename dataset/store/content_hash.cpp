#include "dataset/store/content_hash.h"

#include "base/hash.h"

namespace kg::dataset {

std::string content_hash(const Dataset& data) {
  // A chain, so that memory does not grow.
  std::string hash;
  const auto add = [&](const std::string& bytes) { hash = hash128_hex(hash + bytes); };
  data.for_each_task([&](const proto::Task& task) {
    add(task.SerializeAsString());
    return true;
  });
  data.for_each_sample([&](const proto::Sample& sample) {
    proto::Sample content = sample;
    content.clear_judge_version();  // the judge's version is not part of the content
    add(content.SerializeAsString());
    return true;
  });
  return hash;
}

}  // namespace kg::dataset
