#include "dataset/store/link_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/foreign_content.h"
#include "base/hash.h"
#include "dataset/store/folder.h"
#include "dataset/store/hdf5_finding.h"

namespace kg::dataset {

namespace {

bool folder_holds_data(const fs::path& path) {
  const FolderListing listing = list_folder(folder_of(path));
  return !listing.segments.empty() || !listing.journals.empty();
}

// A file that never was a data set is a wrong word on the command line, not damage.
void refuse_other_files(const fs::path& path) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  if (fs::is_directory(path))
    throw Error("expected a data set, found a folder", path.string(),
                "name the file NAME.h5; the folder NAME.h5.d beside it holds its parts");
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error("cannot be read: " + std::string(std::strerror(errno)), path.string(), "check its permissions");
  std::string start(64, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  if (start.starts_with(kSignature) || folder_holds_data(path)) return;
  if (const auto foreign = foreign_content(start); !foreign.empty())
    throw Error("expected a data set, found " + std::string(foreign), path.string(), kForeignContentHint);
  const bool json = start.starts_with("{") || start.starts_with("[");
  throw Error(start.empty() ? "expected a data set, found an empty file"
              : json        ? "expected a data set, found JSON"
                            : "expected a data set, found a file that is not HDF5",
              path.string(),
              json ? "kgtrain data import " + path.filename().string() + " --out NAME.h5 makes a data set from it"
                   : "check the path; kgtrain data build and kgtrain data import make data sets");
}

MainFile from_links(const fs::path& path, const Trailer& trailer, const IndexScan& scan) {
  const std::string name = path.filename().string();
  MainFile main{.packed = false, .folder = scan.links->folder(), .segments = {}, .complaints = {}};
  main.segments.assign(scan.links->segments().begin(), scan.links->segments().end());
  const std::string bytes = read_file(path).substr(0, scan.links->file_bytes());
  if (bytes.size() < scan.links->file_bytes() || hash64(bytes) != scan.links->hash())
    main.complaints.push_back(name +
                              ": HDF5's own part of it is damaged, so h5py may be unable to read it; kgtrain uses its "
                              "index, and the next writer rewrites the file");
  if (trailer.damaged || scan.damaged)
    main.complaints.push_back(name + ": its index is damaged; the next writer rewrites the file");
  main.needs_writing = !main.complaints.empty();
  return main;
}

}  // namespace

MainFile read_main_file(const fs::path& path) {
  if (!fs::exists(path))
    throw Error("there is no such data set", path.string(),
                fs::exists(folder_of(path)) && folder_holds_data(path)
                    ? "its folder exists: kgtrain data repair rewrites the file"
                    : "make one with `kgtrain data build` or `kgtrain data import`, or check the path");
  if (fs::is_directory(path)) refuse_other_files(path);
  const std::string name = path.filename().string();
  const auto trailer = read_trailer(path);
  if (!trailer) refuse_other_files(path);
  if (trailer) {
    const IndexScan scan = read_index(trailer->index);
    if (scan.links) return from_links(path, *trailer, scan);
    if (!scan.index.columns.empty() || scan.index.head)
      return {.packed = true, .folder = "", .segments = {}, .complaints = {}};
  }
  const Hdf5Finding finding = find_with_hdf5(path);
  refuse_another_format(finding);
  if (!finding.root) {
    if (folder_holds_data(path))
      return {.complaints = {name + ": the file with the links is damaged (" +
                             (finding.failure ? finding.failure->what() : "HDF5 cannot read it") +
                             "); the data itself is in the folder, and the next writer rewrites the file"},
              .needs_writing = true};
    throw Error(finding.failure ? finding.failure->what() : "cannot be read", path.string(),
                finding.failure ? finding.failure->hint() : "take it from a backup", Error::Kind::kFailed);
  }
  MainFile main{.packed = finding.root->kind() != "links", .folder = finding.root->folder()};
  main.needs_writing = true;
  if (finding.root->indexed() && !main.packed)
    main.complaints.push_back(name + ": its index is damaged or cut off; the next writer rewrites the file");
  std::istringstream names(finding.root->segments());
  for (std::string segment; names >> segment;) main.segments.push_back(segment);
  return main;
}

void write_link_file(const fs::path& path, const std::vector<std::shared_ptr<const Segment>>& segments) {
  proto::LinkHead links;
  links.set_folder(folder_of(path.filename()).string());
  hdf5::Guard guard;
  hdf5::DriverFile file = hdf5::DriverFile::in_memory();
  write_root_attributes(file.id(), "links");
  std::string names;
  for (const auto& segment : segments) {
    links.add_segments(segment_file_name(segment->range()));
    names += links.segments(links.segments_size() - 1) + "\n";
  }
  hdf5::write_attribute(file.id(), "segments", names);
  hdf5::write_attribute(file.id(), "folder", links.folder());
  for (const Table table : kTables) {
    const std::string table_name = schema(table).name;
    const hdf5::Handle group = hdf5::create_group(file.id(), table_name);
    for (const auto& segment : segments) {
      if (segment->rows(table) == 0) continue;
      const std::string target = (folder_of(path.filename()) / segment_file_name(segment->range())).string();
      const std::string name = segment_group_name(segment->range());
      hdf5::check(H5Lcreate_external(target.c_str(), ("/" + table_name + "/" + name).c_str(), group.id(), name.c_str(),
                                     H5P_DEFAULT, H5P_DEFAULT),
                  "make a link to " + target, path.string());
    }
  }
  std::string image = file.close();
  links.set_file_bytes(image.size());
  links.set_hash(hash64(image));
  write_file_durably(path, image + trailer_bytes(image.size(), write_links_index(links)));
}

}  // namespace kg::dataset
