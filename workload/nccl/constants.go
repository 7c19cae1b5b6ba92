package nccl

// Constants of the library, github.com/NVIDIA/nccl v2.27.7-1; the file each is
// from is named. Bytes and GB/s (1e9).
const (
	ncclSteps       = 8         // steps of a buffer in flight, src/include/device.h
	buffSizeSimple  = 4 << 20   // per channel and peer, src/init.cc
	buffSizeLL      = 512 << 10 // 8 lines x 512 threads x 8 steps x 16 B, half is data
	buffSizeLL128   = 4915200   // 120 x 640 x 8 x 8 B, 120/128 is data
	p2pNetChunk     = 128 << 10 // NCCL_P2P_NET_CHUNKSIZE, src/init.cc
	p2pPCIChunk     = 128 << 10 // NCCL_P2P_PCI_CHUNKSIZE, src/init.cc
	p2pNVLChunk     = 512 << 10 // NCCL_P2P_NVL_CHUNKSIZE, src/init.cc
	nvlsChunk       = 128 << 10 // NCCL_NVLS_CHUNKSIZE, src/transport/nvls.cc
	nvlsTreeChunk4  = 64 << 10  // NVLSTree ceiling from four nodes, src/enqueue.cc
	maxChannels     = 64        // src/include/device.h
	ringChunkSteps  = 4         // all-reduce, all-gather, reduce-scatter, src/include/collectives.h
	ringSliceSteps  = 2         // src/include/collectives.h
	simpleThreads   = 512       // src/include/device.h
	llThreads       = 512       // src/include/device.h
	ll128Threads    = 640       // src/include/device.h
	nvlsThreads     = 640       // NCCL_MAX_NTHREADS, src/include/device.h
	llThreshold     = 8         // bytes a thread below which a channel is dropped, src/graph/tuning.cc
	ll128Threshold  = 8         // as above
	simpleThreshold = 64        // as above
	pciBW           = 12.0      // PCI_BW, below which ring Simple uses 256 threads
	netOverheadIntl = 1.0       // us a network operation on Intel hosts, src/graph/tuning.cc
	netOverheadAMD  = 2.0       // us on AMD hosts
	warp            = 32        // threads
)

// nvlsEfficiency is NCCL's ratio of NVLS to link bandwidth by generation
// (v2.30.7 src/graph/tuning.cc).
var nvlsEfficiency = [4]float64{0, 0, 0.85, 0.74}

// treeCorrection multiplies Tree all-reduce bandwidth at log2(bytes)-6
// (v2.27.7 src/graph/tuning.cc; 2.30 adds one more entry of 1).
var treeCorrection = [numProtos][23]float64{
	LL:     {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
	LL128:  {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
	Simple: {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9},
}

// Per-channel bandwidths that the graph search tries, GB/s, highest first
// (v2.27.7 src/graph/search.cc).
var (
	speedsIntra      = []float64{40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3}
	speedsInter      = []float64{48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, 0.24, 0.12}
	speedsIntraSM90  = []float64{60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3}
	speedsInterSM90  = []float64{48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, 0.24, 0.12}
	speedsIntraSM100 = []float64{90, 80, 70, 60, 50, 40, 30, 24, 20, 19, 18}
	speedsInterSM100 = []float64{96, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, 0.24, 0.12}
)

func speeds(a Arch, inter bool) []float64 {
	switch a.row() {
	case 3:
		if inter {
			return speedsInterSM100
		}
		return speedsIntraSM100
	case 2:
		if inter {
			return speedsInterSM90
		}
		return speedsIntraSM90
	}
	if inter {
		return speedsInter
	}
	return speedsIntra
}
