#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <sstream>

#include "output.hpp"
#include "usage.hpp"

namespace kith::cli {
namespace {

/// The parser's own checks name the range of a double, all 309 digits of it.
CLI::Validator number_check(const char* name, const char* sentence, bool is_zero_right) {
  return CLI::Validator(
      [=](const std::string& text) -> std::string {
        double number = 0;
        const bool is_number = CLI::detail::lexical_cast(text, number);
        const bool is_right = is_number && (number > 0 || (is_zero_right && number == 0));
        return is_right ? "" : text.substr(0, 40) + sentence;
      },
      name);
}

}  // namespace

Option Option::required(bool is_required) {
  option_->required(is_required);
  return *this;
}

Option Option::shows_default() {
  option_->capture_default_str();
  return *this;
}

Option Option::positive() {
  option_->check(number_check("POSITIVE", " is not a positive number", false));
  return *this;
}

Option Option::count() {
  positive();
  option_->transform(CLI::Validator(
      [](std::string& text) {
        double number = 0;
        const bool is_power = text.find_first_of("eE") != std::string::npos;
        if (is_power && CLI::detail::lexical_cast(text, number) && number >= 1 && number < 0x1p53 &&
            number == std::floor(number))
          text = fmt::format("{:.0f}", number);
        return std::string();
      },
      ""));
  return *this;
}

Option Option::non_negative() {
  option_->check(number_check("NONNEGATIVE", " is negative, or not a number", true));
  return *this;
}

Option Option::one_of(std::initializer_list<std::string> words) {
  const std::vector<std::string> all(words);
  option_->check(CLI::Validator(
      [all](const std::string& word) -> std::string {
        if (std::find(all.begin(), all.end(), word) != all.end()) return "";
        return fmt::format("{} is not one of {}{}", printable(word.substr(0, 40)),
                           fmt::join(all, ", "), suggestion(word, all));
      },
      fmt::format("{{{}}}", fmt::join(all, ","))));
  return *this;
}

Option Option::or_all() {
  option_->transform(CLI::Validator(
      [](std::string& word) {
        if (word == "all") word = std::to_string(std::numeric_limits<std::size_t>::max());
        return std::string();
      },
      ""));
  return *this;
}

Option Option::separated_by(char separator) {
  option_->delimiter(separator);
  return *this;
}

Option Option::takes(int values) {
  option_->expected(values);
  return *this;
}

Option Option::from_environment(const std::string& variable) {
  option_->envname(variable);
  return *this;
}

Option Option::excludes(Option other) {
  option_->excludes(other.option_);
  return *this;
}

Command Command::add_subcommand(const std::string& name, const std::string& meaning) {
  return Command(app_->add_subcommand(name, meaning));
}

void Command::require_subcommand() { app_->require_subcommand(1); }
void Command::footer(const std::string& text) { app_->footer(text); }
void Command::callback(std::function<void()> run) { app_->callback(std::move(run)); }

template <class T>
Option Command::add_option(const std::string& names, T& value, const std::string& meaning) {
  return Option(app_->add_option(names, value, meaning));
}
template Option Command::add_option(const std::string&, int&, const std::string&);
template Option Command::add_option(const std::string&, long&, const std::string&);
template Option Command::add_option(const std::string&, unsigned long&, const std::string&);
template Option Command::add_option(const std::string&, double&, const std::string&);
template Option Command::add_option(const std::string&, std::string&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<int>&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<double>&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<std::string>&,
                                    const std::string&);

void Command::add_flag(const std::string& name, bool& value, const std::string& meaning) {
  app_->add_flag(name, value, meaning);
}

void Command::add_under(const std::string& heading, const std::function<void()>& add) {
  const std::string before = app_->option_defaults()->get_group();
  app_->option_defaults()->group(heading);
  add();
  app_->option_defaults()->group(before);
}

Option Command::option(const std::string& name) { return Option(app_->get_option(name)); }

std::size_t Command::count(const std::string& name) const { return app_->count(name); }

std::string Command::name() const { return app_->get_name(); }
std::string Command::meaning() const { return app_->get_description(); }
std::string Command::footer() const { return app_->get_footer(); }

std::vector<Command> Command::subcommands() const {
  std::vector<Command> found;
  for (CLI::App* each : app_->get_subcommands([](CLI::App*) { return true; }))
    found.emplace_back(each);
  return found;
}

std::vector<std::string> Command::option_names() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options()) {
    for (const std::string& each : option->get_lnames()) names.push_back("--" + each);
    for (const std::string& each : option->get_snames()) names.push_back("-" + each);
  }
  return names;
}

namespace {

/// The words in "TEXT:{float32,float64}".
std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> words;
  const std::size_t begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return words;
  std::istringstream stream(type.substr(begin + 1, end - begin - 1));
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

Described describe(const CLI::Option& option) {
  Described result;
  for (const std::string& each : option.get_snames()) result.names.push_back("-" + each);
  for (const std::string& each : option.get_lnames()) result.names.push_back("--" + each);
  if (result.names.empty()) result.place = option.get_name(true);
  if (option.get_expected_max() > 0) {
    const std::string type = option.get_type_name();
    result.choices = choices_in(type);
    result.value = type.substr(0, type.find(':'));
  }
  result.default_value = option.get_default_str();
  result.meaning = option.get_description();
  result.is_required = option.get_required();
  return result;
}

}  // namespace

std::vector<Described> Command::options() const {
  std::vector<Described> all;
  for (const CLI::Option* option : app_->get_options())
    if (!option->get_group().empty()) all.push_back(describe(*option));
  return all;
}

std::vector<Command::Given> Command::given() const {
  std::vector<Given> all;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->count() == 0) continue;
    Given& each = all.emplace_back();
    if (!option->get_lnames().empty())
      each.name = "--" + option->get_lnames().front();
    else if (!option->get_snames().empty())
      each.name = "-" + option->get_snames().front();
    const bool is_flag = option->get_expected_max() == 0;
    if (!is_flag) each.values = option->results();
  }
  return all;
}

}  // namespace kith::cli
