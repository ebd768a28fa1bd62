//! The names of the symbols.

/// Calls a macro with all the functions that cust_raw 0.11.3 declares, in the order of the alphabet: the output of
/// `grep -o 'pub fn cu[A-Za-z0-9_]*' src/cuda.rs | cut -c8- | LC_ALL=C sort` in that crate's sources.
macro_rules! with_names {
    ($call:ident) => {
        $call! {
            cuArray3DCreate_v2 cuArray3DGetDescriptor_v2 cuArrayCreate_v2 cuArrayDestroy cuArrayGetDescriptor_v2
            cuArrayGetPlane cuArrayGetSparseProperties cuCtxAttach cuCtxCreate_v2 cuCtxCreate_v3 cuCtxDestroy_v2
            cuCtxDetach cuCtxDisablePeerAccess cuCtxEnablePeerAccess cuCtxGetApiVersion cuCtxGetCacheConfig
            cuCtxGetCurrent cuCtxGetDevice cuCtxGetExecAffinity cuCtxGetFlags cuCtxGetLimit cuCtxGetSharedMemConfig
            cuCtxGetStreamPriorityRange cuCtxPopCurrent_v2 cuCtxPushCurrent_v2 cuCtxResetPersistingL2Cache
            cuCtxSetCacheConfig cuCtxSetCurrent cuCtxSetLimit cuCtxSetSharedMemConfig cuCtxSynchronize
            cuDestroyExternalMemory cuDestroyExternalSemaphore cuDeviceCanAccessPeer cuDeviceComputeCapability
            cuDeviceGet cuDeviceGetAttribute cuDeviceGetByPCIBusId cuDeviceGetCount cuDeviceGetDefaultMemPool
            cuDeviceGetExecAffinitySupport cuDeviceGetGraphMemAttribute cuDeviceGetLuid cuDeviceGetMemPool
            cuDeviceGetName cuDeviceGetNvSciSyncAttributes cuDeviceGetP2PAttribute cuDeviceGetPCIBusId
            cuDeviceGetProperties cuDeviceGetTexture1DLinearMaxWidth cuDeviceGetUuid cuDeviceGetUuid_v2
            cuDeviceGraphMemTrim cuDevicePrimaryCtxGetState cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxReset_v2
            cuDevicePrimaryCtxRetain cuDevicePrimaryCtxSetFlags_v2 cuDeviceSetGraphMemAttribute cuDeviceSetMemPool
            cuDeviceTotalMem_v2 cuDriverGetVersion cuEventCreate cuEventDestroy_v2 cuEventElapsedTime cuEventQuery
            cuEventRecord cuEventRecordWithFlags cuEventSynchronize cuExternalMemoryGetMappedBuffer
            cuExternalMemoryGetMappedMipmappedArray cuFlushGPUDirectRDMAWrites cuFuncGetAttribute cuFuncGetModule
            cuFuncSetAttribute cuFuncSetBlockShape cuFuncSetCacheConfig cuFuncSetSharedMemConfig cuFuncSetSharedSize
            cuGetErrorName cuGetErrorString cuGetExportTable cuGetProcAddress cuGraphAddChildGraphNode
            cuGraphAddDependencies cuGraphAddEmptyNode cuGraphAddEventRecordNode cuGraphAddEventWaitNode
            cuGraphAddExternalSemaphoresSignalNode cuGraphAddExternalSemaphoresWaitNode cuGraphAddHostNode
            cuGraphAddKernelNode cuGraphAddMemAllocNode cuGraphAddMemFreeNode cuGraphAddMemcpyNode cuGraphAddMemsetNode
            cuGraphChildGraphNodeGetGraph cuGraphClone cuGraphCreate cuGraphDebugDotPrint cuGraphDestroy
            cuGraphDestroyNode cuGraphEventRecordNodeGetEvent cuGraphEventRecordNodeSetEvent
            cuGraphEventWaitNodeGetEvent cuGraphEventWaitNodeSetEvent cuGraphExecChildGraphNodeSetParams
            cuGraphExecDestroy cuGraphExecEventRecordNodeSetEvent cuGraphExecEventWaitNodeSetEvent
            cuGraphExecExternalSemaphoresSignalNodeSetParams cuGraphExecExternalSemaphoresWaitNodeSetParams
            cuGraphExecHostNodeSetParams cuGraphExecKernelNodeSetParams cuGraphExecMemcpyNodeSetParams
            cuGraphExecMemsetNodeSetParams cuGraphExecUpdate cuGraphExternalSemaphoresSignalNodeGetParams
            cuGraphExternalSemaphoresSignalNodeSetParams cuGraphExternalSemaphoresWaitNodeGetParams
            cuGraphExternalSemaphoresWaitNodeSetParams cuGraphGetEdges cuGraphGetNodes cuGraphGetRootNodes
            cuGraphHostNodeGetParams cuGraphHostNodeSetParams cuGraphInstantiateWithFlags cuGraphInstantiate_v2
            cuGraphKernelNodeCopyAttributes cuGraphKernelNodeGetAttribute cuGraphKernelNodeGetParams
            cuGraphKernelNodeSetAttribute cuGraphKernelNodeSetParams cuGraphLaunch cuGraphMemAllocNodeGetParams
            cuGraphMemFreeNodeGetParams cuGraphMemcpyNodeGetParams cuGraphMemcpyNodeSetParams cuGraphMemsetNodeGetParams
            cuGraphMemsetNodeSetParams cuGraphNodeFindInClone cuGraphNodeGetDependencies cuGraphNodeGetDependentNodes
            cuGraphNodeGetType cuGraphReleaseUserObject cuGraphRemoveDependencies cuGraphRetainUserObject cuGraphUpload
            cuGraphicsMapResources cuGraphicsResourceGetMappedMipmappedArray cuGraphicsResourceGetMappedPointer_v2
            cuGraphicsResourceSetMapFlags_v2 cuGraphicsSubResourceGetMappedArray cuGraphicsUnmapResources
            cuGraphicsUnregisterResource cuImportExternalMemory cuImportExternalSemaphore cuInit cuIpcCloseMemHandle
            cuIpcGetEventHandle cuIpcGetMemHandle cuIpcOpenEventHandle cuIpcOpenMemHandle_v2 cuLaunch
            cuLaunchCooperativeKernel cuLaunchCooperativeKernelMultiDevice cuLaunchGrid cuLaunchGridAsync
            cuLaunchHostFunc cuLaunchKernel cuLinkAddData_v2 cuLinkAddFile_v2 cuLinkComplete cuLinkCreate_v2
            cuLinkDestroy cuMemAddressFree cuMemAddressReserve cuMemAdvise cuMemAllocAsync cuMemAllocFromPoolAsync
            cuMemAllocHost_v2 cuMemAllocManaged cuMemAllocPitch_v2 cuMemAlloc_v2 cuMemCreate
            cuMemExportToShareableHandle cuMemFreeAsync cuMemFreeHost cuMemFree_v2 cuMemGetAccess
            cuMemGetAddressRange_v2 cuMemGetAllocationGranularity cuMemGetAllocationPropertiesFromHandle cuMemGetInfo_v2
            cuMemHostAlloc cuMemHostGetDevicePointer_v2 cuMemHostGetFlags cuMemHostRegister_v2 cuMemHostUnregister
            cuMemImportFromShareableHandle cuMemMap cuMemMapArrayAsync cuMemPoolCreate cuMemPoolDestroy
            cuMemPoolExportPointer cuMemPoolExportToShareableHandle cuMemPoolGetAccess cuMemPoolGetAttribute
            cuMemPoolImportFromShareableHandle cuMemPoolImportPointer cuMemPoolSetAccess cuMemPoolSetAttribute
            cuMemPoolTrimTo cuMemPrefetchAsync cuMemRangeGetAttribute cuMemRangeGetAttributes cuMemRelease
            cuMemRetainAllocationHandle cuMemSetAccess cuMemUnmap cuMemcpy cuMemcpy2DAsync_v2 cuMemcpy2DUnaligned_v2
            cuMemcpy2D_v2 cuMemcpy3DAsync_v2 cuMemcpy3DPeer cuMemcpy3DPeerAsync cuMemcpy3D_v2 cuMemcpyAsync
            cuMemcpyAtoA_v2 cuMemcpyAtoD_v2 cuMemcpyAtoHAsync_v2 cuMemcpyAtoH_v2 cuMemcpyDtoA_v2 cuMemcpyDtoDAsync_v2
            cuMemcpyDtoD_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoH_v2 cuMemcpyHtoAAsync_v2 cuMemcpyHtoA_v2
            cuMemcpyHtoDAsync_v2 cuMemcpyHtoD_v2 cuMemcpyPeer cuMemcpyPeerAsync cuMemsetD16Async cuMemsetD16_v2
            cuMemsetD2D16Async cuMemsetD2D16_v2 cuMemsetD2D32Async cuMemsetD2D32_v2 cuMemsetD2D8Async cuMemsetD2D8_v2
            cuMemsetD32Async cuMemsetD32_v2 cuMemsetD8Async cuMemsetD8_v2 cuMipmappedArrayCreate cuMipmappedArrayDestroy
            cuMipmappedArrayGetLevel cuMipmappedArrayGetSparseProperties cuModuleGetFunction cuModuleGetGlobal_v2
            cuModuleGetSurfRef cuModuleGetTexRef cuModuleLoad cuModuleLoadData cuModuleLoadDataEx cuModuleLoadFatBinary
            cuModuleUnload cuOccupancyAvailableDynamicSMemPerBlock cuOccupancyMaxActiveBlocksPerMultiprocessor
            cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags cuOccupancyMaxPotentialBlockSize
            cuOccupancyMaxPotentialBlockSizeWithFlags cuParamSetSize cuParamSetTexRef cuParamSetf cuParamSeti
            cuParamSetv cuPointerGetAttribute cuPointerGetAttributes cuPointerSetAttribute cuProfilerInitialize
            cuProfilerStart cuProfilerStop cuSignalExternalSemaphoresAsync cuStreamAddCallback cuStreamAttachMemAsync
            cuStreamBatchMemOp cuStreamBeginCapture_v2 cuStreamCopyAttributes cuStreamCreate cuStreamCreateWithPriority
            cuStreamDestroy_v2 cuStreamEndCapture cuStreamGetAttribute cuStreamGetCaptureInfo cuStreamGetCaptureInfo_v2
            cuStreamGetCtx cuStreamGetFlags cuStreamGetPriority cuStreamIsCapturing cuStreamQuery cuStreamSetAttribute
            cuStreamSynchronize cuStreamUpdateCaptureDependencies cuStreamWaitEvent cuStreamWaitValue32
            cuStreamWaitValue64 cuStreamWriteValue32 cuStreamWriteValue64 cuSurfObjectCreate cuSurfObjectDestroy
            cuSurfObjectGetResourceDesc cuSurfRefGetArray cuSurfRefSetArray cuTexObjectCreate cuTexObjectDestroy
            cuTexObjectGetResourceDesc cuTexObjectGetResourceViewDesc cuTexObjectGetTextureDesc cuTexRefCreate
            cuTexRefDestroy cuTexRefGetAddressMode cuTexRefGetAddress_v2 cuTexRefGetArray cuTexRefGetBorderColor
            cuTexRefGetFilterMode cuTexRefGetFlags cuTexRefGetFormat cuTexRefGetMaxAnisotropy
            cuTexRefGetMipmapFilterMode cuTexRefGetMipmapLevelBias cuTexRefGetMipmapLevelClamp cuTexRefGetMipmappedArray
            cuTexRefSetAddress2D_v3 cuTexRefSetAddressMode cuTexRefSetAddress_v2 cuTexRefSetArray cuTexRefSetBorderColor
            cuTexRefSetFilterMode cuTexRefSetFlags cuTexRefSetFormat cuTexRefSetMaxAnisotropy
            cuTexRefSetMipmapFilterMode cuTexRefSetMipmapLevelBias cuTexRefSetMipmapLevelClamp cuTexRefSetMipmappedArray
            cuThreadExchangeStreamCaptureMode cuUserObjectCreate cuUserObjectRelease cuUserObjectRetain
            cuWaitExternalSemaphoresAsync
        }
    };
}
