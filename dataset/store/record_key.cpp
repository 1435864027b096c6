#include "dataset/store/record_key.h"

namespace kg::dataset {

std::string record_key(Table table, const google::protobuf::Message& row) {
  switch (table) {
    case Table::kTasks:
      return "task " + static_cast<const proto::Task&>(row).id();
    case Table::kSamples:
      return "sample " + static_cast<const proto::Sample&>(row).id();
    case Table::kRollouts: {
      const auto& rollout = static_cast<const proto::Rollout&>(row);
      return "rollout " + rollout.run() + "/" + std::to_string(rollout.work_id()) + "/" +
             std::to_string(rollout.sample());
    }
    case Table::kPreferences: {
      const auto& preference = static_cast<const proto::Preference&>(row);
      return "preference " + preference.task() + ": " + std::to_string(preference.chosen_work_id()) + "/" +
             std::to_string(preference.chosen_sample()) + " over " + std::to_string(preference.rejected_work_id()) +
             "/" + std::to_string(preference.rejected_sample());
    }
    case Table::kTensors: {
      const auto& tensor = static_cast<const proto::CaseTensor&>(row);
      return "tensor " + tensor.task() + ":" + std::to_string(tensor.case_index()) + ":" +
             std::to_string(tensor.role()) + ":" + std::to_string(tensor.index());
    }
    case Table::kMeta:
      break;
  }
  return "meta " + static_cast<const proto::MetaEntry&>(row).key();
}

}  // namespace kg::dataset
