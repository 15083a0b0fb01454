// CMake makes the precompiled header beside a source that is compiled with it.
