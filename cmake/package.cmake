# What `cmake --install` puts where, the package that find_package(qanat) finds, and the .deb files.
#
#   bin/qanat                      the program; it starts its second part for what needs libtorch
#   share/qanat/start/             weights to begin with
#   libexec/qanat/                 that part, and the speaker of the demo corpus
#   lib/, include/qanat/, lib/cmake/qanat/
#                                  the library: qanat::app (loader, reports), and with
#                                  find_package(qanat COMPONENTS training) qanat::training; with
#                                  find_package(qanat COMPONENTS text) nothing but qanat::text
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS qanat RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(TARGETS qanat-torch qanat-espeak RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/qanat
                                                 COMPONENT program)
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}
        COMPONENT program)
install(
  FILES ${PROJECT_BINARY_DIR}/share/completions/qanat.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME qanat
  COMPONENT program)
install(
  FILES ${PROJECT_BINARY_DIR}/share/completions/qanat.zsh
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
  RENAME _qanat
  COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/share/completions/qanat.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
# Weights to begin with, which speak without a training: the program looks for them from where it is.
install(DIRECTORY share/start DESTINATION ${CMAKE_INSTALL_DATADIR}/qanat COMPONENT program)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

# The library. What needs no libtorch is one component, so that it can be used without; the text front
# end is one, too. A component has what it names here and all that layers.txt lets these include, so
# that a new module cannot be missing from it.
function(with_all_below variable)
  set(found ${ARGN})
  set(next ${ARGN})
  while(next)
    set(below)
    foreach(module IN LISTS next)
      list(APPEND below ${qanat_depends_of_${module}})
    endforeach()
    list(REMOVE_DUPLICATES below)
    list(REMOVE_ITEM below ${found})
    list(APPEND found ${below})
    set(next ${below})
  endwhile()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()
with_all_below(text_modules text)
with_all_below(loader_modules capi report corpus experiment)
list(REMOVE_ITEM loader_modules ${text_modules})
list(APPEND loader_modules web)
get_property(modules GLOBAL PROPERTY QANAT_MODULES)
list(APPEND modules web)
foreach(module IN LISTS modules)
  if(module MATCHES "cli")
    continue()
  endif()
  set(component training)
  if(module IN_LIST loader_modules)
    set(component loader)
  elseif(module IN_LIST text_modules)
    set(component text)
  endif()
  set_target_properties(qanat_${module} PROPERTIES EXPORT_NAME ${module})
  install(TARGETS qanat_${module} EXPORT qanat_${component}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/qanat)
foreach(component text loader training)
  install(
    EXPORT qanat_${component}
    NAMESPACE qanat::
    FILE qanat_${component}.cmake
    DESTINATION ${package_dir}
    COMPONENT library)
endforeach()
configure_package_config_file(
  cmake/qanat-config.cmake.in ${PROJECT_BINARY_DIR}/qanat-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/qanat-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/qanat-config.cmake
              ${PROJECT_BINARY_DIR}/qanat-config-version.cmake
        DESTINATION ${package_dir} COMPONENT library)
list(TRANSFORM qanat_wings PREPEND src/ OUTPUT_VARIABLE wing_folders)
list(TRANSFORM wing_folders APPEND /)
install(
  DIRECTORY ${wing_folders}
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/qanat
  COMPONENT library
  FILES_MATCHING
  PATTERN "*.h"
  PATTERN "cli" EXCLUDE
  PATTERN "torch_cli" EXCLUDE
  PATTERN "*_testing.h" EXCLUDE
  PATTERN "test_*.h" EXCLUDE
  PATTERN "fake_*.h" EXCLUDE
  PATTERN "*_fixture.h" EXCLUDE)

install(DIRECTORY ${PROJECT_BINARY_DIR}/made/locale/messages
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/qanat/locale COMPONENT library)

# The .deb files: qanat and libqanat-dev. Dependencies are those of the binaries.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME qanat)
set(CPACK_PACKAGE_VENDOR "the Qanat authors")
set(CPACK_PACKAGE_CONTACT "the Qanat authors <maintainers@users.noreply.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "trains XTTS-style text-to-speech models, keeps the GPU busy")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME qanat)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION sound)
# Without the first the reference BLAS is used, forty times slower; libcurl is loaded when a data set is at
# a URL.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS
    "libopenblas0-openmp | libopenblas0, libcurl4 | libcurl4t64 | libcurl3-gnutls")
# Phonemes come from it: the start weights cannot speak without.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "espeak-ng")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libqanat-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
    "libfmt-dev, nlohmann-json3-dev, libsndfile1-dev, libsoxr-dev, libyaml-cpp-dev, libpng-dev, libutf8proc-dev, libxxhash-dev, zlib1g-dev, libzstd-dev, liblz4-dev, libsnappy-dev, pkg-config"
)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "libtorch-dev")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "loader, features and reports of Qanat as a C++ library")
include(CPack)
