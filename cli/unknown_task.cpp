#include "cli/unknown_task.h"

#include "base/error.h"
#include "base/nearest_name.h"

namespace kg::cli {

void refuse_task(const dataset::Dataset& data, const std::string& id, const std::string& name,
                 const std::string& where) {
  const std::string near = nearest_name(id, data.task_ids());
  throw Error("no task \"" + id + "\" in " + dataset::find_dataset(name).string(), where,
              near.empty() ? "kgtrain tasks list --data " + name + " prints the ids" : "did you mean " + near + "?");
}

}  // namespace kg::cli
