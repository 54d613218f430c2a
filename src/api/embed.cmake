# Writes embedded.cc: every file of FILES as one entry of embedded_files() (api/embedded.h).
set(text "#include \"api/embedded.h\"\n\nnamespace ty::api {\n\nstd::span<const EmbeddedFile> embedded_files() {\n  static constexpr EmbeddedFile files[] = {\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  # As hex: no delimiter to clash with, and no list separators for CMake to eat. Several short literals, because
  # compilers limit the length of one.
  file(READ ${file} hex HEX)
  string(LENGTH "${hex}" length)
  math(EXPR bytes "${length} / 2")
  string(REGEX REPLACE "(................................................................................)" "\"\n     \"\\1" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" hex "${hex}")
  string(APPEND text "    {\"${name}\", {\"${hex}\", ${bytes}}},\n")
endforeach()
string(APPEND text "  };
  return files;
}

}  // namespace ty::api
")
file(WRITE ${OUT} "${text}")
