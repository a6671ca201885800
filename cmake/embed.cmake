# Writes a header that holds files as string constants:
#   cmake -DOUTPUT=x.h -DFILES=a.css,b.js -DSOURCE_DIR=web -P embed.cmake
# page.css becomes kPageCss. Files end with a line and hold text only.
string(REPLACE "," ";" FILES "${FILES}")
set(header "// Made by cmake/embed.cmake from ${FILES}; edit these.\n#pragma once\n\n#include <string_view>\n\nnamespace qanat {\n")
foreach(file ${FILES})
  file(READ ${SOURCE_DIR}/${file} text)
  string(REGEX REPLACE "[._-]" ";" words ${file})
  set(name "k")
  foreach(word ${words})
    string(SUBSTRING ${word} 0 1 first)
    string(SUBSTRING ${word} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND name "${first}${rest}")
  endforeach()
  string(APPEND header "\ninline constexpr std::string_view ${name} = R\"embedded(${text})embedded\";\n")
endforeach()
string(APPEND header "\n}  // namespace qanat\n")
file(WRITE ${OUTPUT} "${header}")
