#include "dataset/store/link_file.h"

#include <sstream>

#include "base/error.h"
#include "dataset/store/folder.h"

namespace kg::dataset {

MainFile read_main_file(const fs::path& path) {
  if (!fs::exists(path))
    throw Error("there is no such data set", path.string(),
                "make one with `kgtrain data build` or `kgtrain data import`, or check the path");
  hdf5::Guard guard;
  const hdf5::Handle file = hdf5::open_file(path);
  const std::string kind = check_root_attributes(file.id(), path);
  MainFile main{.packed = kind != "links", .folder = hdf5::read_text_attribute(file.id(), "folder").value_or("")};
  std::istringstream names(hdf5::read_text_attribute(file.id(), "segments").value_or(""));
  for (std::string name; names >> name;) main.segments.push_back(name);
  return main;
}

void write_link_file(const fs::path& path, const std::vector<std::shared_ptr<const Segment>>& segments) {
  std::string image;
  {
    hdf5::Guard guard;
    hdf5::MemoryFile file;
    write_root_attributes(file.id(), "links");
    std::string names;
    for (const auto& segment : segments) names += segment_file_name(segment->range()) + "\n";
    hdf5::write_attribute(file.id(), "segments", names);
    hdf5::write_attribute(file.id(), "folder", folder_of(path.filename()).string());
    for (const Table table : kTables) {
      const std::string table_name = schema(table).name;
      const hdf5::Handle group = hdf5::create_group(file.id(), table_name);
      for (const auto& segment : segments) {
        if (segment->rows(table) == 0) continue;
        const std::string target = (folder_of(path.filename()) / segment_file_name(segment->range())).string();
        const std::string name = segment_group_name(segment->range());
        hdf5::check(H5Lcreate_external(target.c_str(), ("/" + table_name + "/" + name).c_str(), group.id(),
                                       name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                    "make a link to " + target, path.string());
      }
    }
    image = file.close_and_take();
  }
  write_file_durably(path, image);
}

}  // namespace kg::dataset
