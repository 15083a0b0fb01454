// The part of XLA's foreign function interface that kith's handlers need: the layout of a call, as
// XLA's stable C interface (version 0) fixes it. Declared here so that kith can be built without
// jaxlib; tests/python/test_jax.py calls it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kith::python::xla {

enum class DataType : int { u8 = 6, f32 = 11, f64 = 12 };
enum class AttributeType : int { array = 1, dictionary = 2, scalar = 3, string = 4 };
enum class ErrorKind : int { invalid_argument = 3 };

/// Begins every struct, with its size and further structs of this kind.
struct Extension {
  static constexpr int kMetadata = 1;
  std::size_t struct_size;
  int type;
  Extension* next;
};

struct Version {
  std::size_t struct_size;
  Extension* extension;
  int major, minor;
};

struct Buffer {
  std::size_t struct_size;
  Extension* extension;
  DataType type;
  void* data;
  std::int64_t rank;
  std::int64_t* extents;
};

/// Arguments or results: all are buffers.
struct Buffers {
  std::size_t struct_size;
  Extension* extension;
  std::int64_t size;
  int* types;
  Buffer** buffers;
};

struct Name {
  const char* text;
  std::size_t length;
};

struct ScalarAttribute {
  DataType type;
  void* value;
};

struct ArrayAttribute {
  DataType type;
  std::size_t size;
  void* data;
};

struct Attributes {
  std::size_t struct_size;
  Extension* extension;
  std::int64_t size;
  AttributeType* types;
  Name** names;
  void** values;
};

struct CallError;

struct CreateError {
  std::size_t struct_size;
  Extension* extension;
  const char* message;
  ErrorKind kind;
};

/// The functions of XLA; those after the first are not needed.
struct Functions {
  std::size_t struct_size;
  Extension* extension;
  Version version;
  const void* internal;
  CallError* (*create_error)(CreateError*);
};

struct Call {
  std::size_t struct_size;
  Extension* extension;
  const Functions* xla;
  void* context;
  int stage;
  Buffers in, out;
  Attributes attributes;
  // Newer versions have further members.
};

/// What XLA asks when a handler is registered.
struct Metadata {
  std::size_t struct_size;
  Version version;
  std::uint32_t traits;
};

struct MetadataExtension {
  Extension base;
  Metadata* metadata;
};

}  // namespace kith::python::xla
