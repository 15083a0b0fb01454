// `kith fof --linking-length-column`: groups with a linking length for each point.
#include <kith/error.hpp>

#include "groups/groups.hpp"

namespace kith::cli {

void add_lengths(Command command, GroupRequest& request) {
  command.add_option("--linking-length-column", request.input.file.value_column,
                     "column or dataset of the file with a linking length for each point, instead "
                     "of --linking-length");
  command
      .add_option("--linking-length-rule", request.length_rule,
                  "length of a pair of points: the mean of both, the least or the largest; "
                  "default: mean")
      .one_of({name(LengthRule::mean), name(LengthRule::least), name(LengthRule::largest)});
}

bool GroupTask::has_lengths() const { return !request.input.file.value_column.empty(); }

LengthRule GroupTask::length_rule() const {
  for (const LengthRule rule : {LengthRule::least, LengthRule::largest})
    if (request.length_rule == name(rule)) return rule;
  return LengthRule::mean;
}

void GroupTask::check_lengths() const {
  const auto refuse = [](const char* what) { throw Error(ErrorCode::invalid_argument, what); };
  if (!has_lengths()) {
    if (!request.length_rule.empty())
      refuse("--linking-length-rule is for lengths of points: give --linking-length-column");
    return;
  }
  if (request.fof.linking_length > 0 || request.fof.b > 0)
    refuse(
        "--linking-length-column has the length of each point; leave out --linking-length and -b");
  if (!request.los.empty() || !request.all_lengths.empty())
    refuse("--linking-length-column cannot be combined with --los and --all-lengths");
  if (input.types().size() > 1)
    refuse(
        "--linking-length-column links one type of points; choose it with --link-types, and "
        "--attach-types none");
}

}  // namespace kith::cli
