# Finds protobuf: the targets protobuf::libprotobuf and protobuf::protoc, and Protobuf_VERSION.
#
# CMake's own module comes first: the packages of Debian and Ubuntu carry no config file. Newer protobufs (4.22 and up) need
# the config file, which knows about their abseil libraries.
set(Protobuf_USE_STATIC_LIBS ON)
find_package(Protobuf QUIET MODULE)
if(NOT TARGET protobuf::libprotobuf OR Protobuf_VERSION VERSION_GREATER_EQUAL 4.22)
  find_package(Protobuf REQUIRED CONFIG)
endif()
