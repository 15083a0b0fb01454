// Commands and their options. Only options.cpp and main.cpp include the parser, CLI11, whose header
// takes as long to compile as all the rest of a file.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): of the library
class App;
class Option;
}  // namespace CLI

namespace kith::cli {

/// An option, to say more about it.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option required(bool is_required = true);
  Option shows_default();  ///< in the help: what the value is now
  Option positive();
  Option count();  ///< positive; 2e8 may be written for 200000000
  Option non_negative();
  Option one_of(std::initializer_list<std::string> words);
  Option separated_by(char separator);  ///< values of a list
  Option takes(int values);             ///< exactly this many
  Option or_all();                      ///< of a number: the word `all` is the largest one
  Option from_environment(const std::string& variable);  ///< where the option is not given
  Option excludes(Option other);

 private:
  CLI::Option* option_;
};

/// The help on an option.
struct Described {
  std::vector<std::string> names;    ///< with their dashes; none for a place
  std::string place;                 ///< "snapshot"
  std::string value;                 ///< "FLOAT"; empty for a flag
  std::vector<std::string> choices;  ///< all words that are allowed; none: any
  std::string default_value;
  std::string meaning;
  bool is_required = false;
};

/// The program, or a subcommand; copies are the same one.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  Command add_subcommand(const std::string& name, const std::string& meaning);
  void require_subcommand();
  void footer(const std::string& text);  ///< at the end of the help
  void callback(std::function<void()> run);

  /// The value, which must live on, keeps what it is unless the option is given: "-k" or
  /// "-o,--output"; a name without dashes is a place. Of an int, std::int64_t, std::uint64_t,
  /// double or std::string, or a vector of numbers or strings.
  template <class T>
  Option add_option(const std::string& names, T& value, const std::string& meaning);
  void add_flag(const std::string& name, bool& value, const std::string& meaning);
  Option option(const std::string& name);

  /// Adds options under a separate heading of the help; those without one come first.
  void add_under(const std::string& heading, const std::function<void()>& add);

  std::size_t count(const std::string& name) const;  ///< how often the option was given
  std::string name() const;
  std::string meaning() const;
  std::string footer() const;
  std::vector<Command> subcommands() const;
  std::vector<std::string> option_names() const;  ///< with their dashes
  std::vector<Described> options() const;         ///< in the order of the help

  /// An option that was given, with its values; a place has no name.
  struct Given {
    std::string name;
    std::vector<std::string> values;
  };
  std::vector<Given> given() const;

 private:
  CLI::App* app_;
};

}  // namespace kith::cli
