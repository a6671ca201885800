# A libtorch with CUDA, from the Python packages that ./dev cuda-build installs. They bring their own
# headers and libraries of CUDA, so neither a toolkit nor a driver is needed to build. Their
# TorchConfig.cmake asks for a toolkit with a compiler; the few libraries are named here instead.
set(QANAT_CUDA_ENV ${PROJECT_SOURCE_DIR}/build/cuda-env
    CACHE PATH "Python environment that holds torch with CUDA (QANAT_CUDA only)")
set(cuda_python ${QANAT_CUDA_ENV}/bin/python3)
if(NOT EXISTS ${cuda_python})
  message(FATAL_ERROR "QANAT_CUDA: no Python environment in ${QANAT_CUDA_ENV}; expected one with "
                      "torch in it; try ./dev cuda-build, which makes it")
endif()
execute_process(
  COMMAND ${cuda_python} -c "import sysconfig; print(sysconfig.get_path('purelib'))"
  OUTPUT_VARIABLE packages OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

find_path(cuda_include cuda_runtime_api.h REQUIRED NO_DEFAULT_PATH
          PATHS ${packages}/nvidia PATH_SUFFIXES cu13/include cuda_runtime/include)
find_library(cuda_runtime NAMES libcudart.so.13 libcudart.so.12 REQUIRED NO_DEFAULT_PATH
             PATHS ${packages}/nvidia PATH_SUFFIXES cu13/lib cuda_runtime/lib)
set(torch_root ${packages}/torch)
# Beside its own headers libtorch brings those of others, among them an {fmt} that is not ours.
set(torch_include ${PROJECT_BINARY_DIR}/libtorch-include)
file(MAKE_DIRECTORY ${torch_include})
foreach(folder ATen c10 caffe2 torch)
  file(CREATE_LINK ${torch_root}/include/${folder} ${torch_include}/${folder} SYMBOLIC)
endforeach()
add_library(qanat_libtorch INTERFACE IMPORTED)
target_include_directories(
  qanat_libtorch INTERFACE ${torch_include} ${torch_include}/torch/csrc/api/include ${cuda_include})
foreach(library torch torch_cpu torch_cuda c10 c10_cuda)
  find_library(${library}_file ${library} REQUIRED NO_DEFAULT_PATH PATHS ${torch_root}/lib)
  target_link_libraries(qanat_libtorch INTERFACE ${${library}_file})
endforeach()
target_link_libraries(qanat_libtorch INTERFACE ${cuda_runtime} Threads::Threads)
# Which GPU each device is a run asks NVML, by bus id; libtorch needs no more than the runtime.
set(TORCH_LIBRARIES qanat_libtorch)
