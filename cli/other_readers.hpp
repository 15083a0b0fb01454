// Names and files that readers of other projects look for beside a catalogue.
#pragma once

#include <string>

#include "command.hpp"

namespace kith {
struct ResultAbout;
}

namespace kith::cli {

/// For yt, which opens NAME.0.hdf5 whatever the name of a Gadget catalogue is: a link to `path`
/// under that name. Files that exist are never replaced.
void link_for_yt(const std::string& path, const ResultAbout& about, Session& session);

/// For illustris_python, which wants a file of offsets for the names of IllustrisTNG:
/// BASE/groups_NNN/fof_subhalo_tab_NNN.0.hdf5 and BASE/../postprocessing/offsets/offsets_NNN.hdf5.
/// Does nothing for other names, or without a sorted snapshot.
void write_tng_offsets(const std::string& path, int files, Session& session);

}  // namespace kith::cli
