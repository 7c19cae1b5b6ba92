package nccl

// Latencies in microseconds by NCCL version, transcribed as figures from
// github.com/NVIDIA/nccl src/graph/tuning.cc at the tags named. An algorithm
// that a version does not know has no row and keeps zeros; it is disabled by
// algoSince. Columns: LL, LL128, Simple.

// latencyTable holds one version's base latency and its latency a step on each
// kind of hardware, by algorithm and protocol, in microseconds.
type latencyTable struct {
	base [numAlgos][numProtos]float64
	step [numHW][numAlgos][numProtos]float64
}

// latencyTables is in the order of tunerVersions.
var latencyTables = []latencyTable{
	{ // v2.8.3-1
		base: [numAlgos][numProtos]float64{
			Tree:          {4.4, 4.4, 0},
			Ring:          {3.6, 10, 8.4},
			CollNetDirect: {4.4, 4.4, 0},
			CollNetChain:  {4.4, 4.4, 0},
		},
		step: [numHW][numAlgos][numProtos]float64{
			hwNVLink: {
				Tree:          {0.52, 1.25, 28},
				Ring:          {0.47, 1.9, 3.4},
				CollNetDirect: {0.5, 1.2, 4},
				CollNetChain:  {0.5, 1.2, 4},
			},
			hwPCI: {
				Tree:          {1, 1.9, 28},
				Ring:          {1, 2.5, 5.7},
				CollNetDirect: {1, 1.9, 5.5},
				CollNetChain:  {1, 1.9, 5.5},
			},
			hwNet: {
				Tree:          {5, 8.5, 28},
				Ring:          {2.7, 4, 9.6},
				CollNetDirect: {5, 5, 10.7},
				CollNetChain:  {5, 5, 10.7},
			},
		},
	},
	{ // v2.12.12-1
		base: [numAlgos][numProtos]float64{
			Tree:          {4.4, 4.4, 0},
			Ring:          {3.6, 10, 8.4},
			CollNetDirect: {4.4, 4.4, 0},
			CollNetChain:  {4.4, 4.4, 0},
		},
		step: [numHW][numAlgos][numProtos]float64{
			hwNVLink: {
				Tree:          {0.52, 1.25, 28},
				Ring:          {0.47, 1.9, 3.4},
				CollNetDirect: {0.5, 1.2, 8},
				CollNetChain:  {0.5, 1.2, 8},
			},
			hwPCI: {
				Tree:          {1, 1.9, 28},
				Ring:          {1, 2.5, 5.7},
				CollNetDirect: {1, 1.9, 8},
				CollNetChain:  {1, 1.9, 8},
			},
			hwNet: {
				Tree:          {5, 8.5, 28},
				Ring:          {2.7, 4, 28},
				CollNetDirect: {5, 5, 10.7},
				CollNetChain:  {5, 5, 10.7},
			},
		},
	},
	{ // v2.18.3-1
		base: [numAlgos][numProtos]float64{
			Tree:          {6.8, 14, 0},
			Ring:          {6.6, 14, 8.4},
			CollNetDirect: {6.8, 14, 0},
			CollNetChain:  {6.8, 14, 0},
			NVLS:          {0, 0, 23},
			NVLSTree:      {0, 0, 23},
		},
		step: [numHW][numAlgos][numProtos]float64{
			hwNVLink: {
				Tree:          {0.6, 1.25, 4},
				Ring:          {0.6, 1.9, 3.4},
				CollNetDirect: {0, 0, 8},
				CollNetChain:  {0, 0, 4.75},
				NVLS:          {0, 0, 0},
				NVLSTree:      {0, 0, 0},
			},
			hwPCI: {
				Tree:          {1, 1.9, 6},
				Ring:          {1, 2.5, 5.7},
				CollNetDirect: {0, 0, 8},
				CollNetChain:  {0, 0, 8},
			},
			hwNet: {
				Tree:          {5, 8.5, 14},
				Ring:          {2.7, 4, 14},
				CollNetDirect: {0, 0, 10.7},
				CollNetChain:  {0, 0, 14},
				NVLS:          {0, 0, 18},
				NVLSTree:      {0, 0, 19},
			},
		},
	},
	{ // v2.23.4-1
		base: [numAlgos][numProtos]float64{
			Tree:          {6.8, 14, 8.4},
			Ring:          {6.6, 14, 8.4},
			CollNetDirect: {0, 0, 0},
			CollNetChain:  {0, 0, 0},
			NVLS:          {0, 0, 0},
			NVLSTree:      {0, 0, 0},
		},
		step: [numHW][numAlgos][numProtos]float64{
			hwNVLink: {
				Tree:          {0.6, 1.25, 4},
				Ring:          {0.6, 1.9, 3.4},
				CollNetDirect: {0, 0, 3.7},
				CollNetChain:  {0, 0, 2.8},
				NVLS:          {0, 0, 25},
				NVLSTree:      {0, 0, 25},
			},
			hwPCI: {
				Tree:          {1, 1.9, 4},
				Ring:          {1, 2.5, 5.7},
				CollNetDirect: {0, 0, 3.7},
				CollNetChain:  {0, 0, 2.8},
				NVLS:          {0, 0, 0},
				NVLSTree:      {0, 0, 0},
			},
			hwNet: {
				Tree:          {5, 8.5, 14},
				Ring:          {2.7, 4, 14},
				CollNetDirect: {0, 0, 31},
				CollNetChain:  {0, 0, 30},
				NVLS:          {0, 0, 18},
				NVLSTree:      {0, 0, 14},
			},
		},
	},
	{ // v2.27.7-1
		base: [numAlgos][numProtos]float64{
			Tree:          {6.8, 14, 8.4},
			Ring:          {6.6, 14, 8.4},
			CollNetDirect: {0, 0, 0},
			CollNetChain:  {0, 0, 0},
			NVLS:          {0, 0, 0},
			NVLSTree:      {0, 0, 0},
		},
		step: [numHW][numAlgos][numProtos]float64{
			hwNVLink: {
				Tree:          {0.6, 1.25, 4},
				Ring:          {0.6, 1.9, 3.4},
				CollNetDirect: {0, 0, 3.7},
				CollNetChain:  {0, 0, 2.8},
				NVLS:          {0, 0, 25},
				NVLSTree:      {0, 0, 25},
			},
			hwPCI: {
				Tree:          {1, 1.9, 4},
				Ring:          {1, 2.5, 5.7},
				CollNetDirect: {0, 0, 3.7},
				CollNetChain:  {0, 0, 2.8},
				NVLS:          {0, 0, 0},
				NVLSTree:      {0, 0, 0},
			},
			hwNet: {
				Tree:          {5, 8.5, 14},
				Ring:          {2.7, 4, 14},
				CollNetDirect: {0, 0, 31},
				CollNetChain:  {0, 0, 30},
				NVLS:          {0, 0, 18},
				NVLSTree:      {0, 0, 14},
			},
		},
	},
	{ // v2.30.7-1
		base: [numAlgos][numProtos]float64{
			Tree:          {6.8, 14, 8.4},
			Ring:          {6.6, 14, 8.4},
			CollNetDirect: {0, 0, 0},
			CollNetChain:  {0, 0, 0},
			NVLS:          {0, 0, 0},
			NVLSTree:      {0, 0, 0},
			PAT:           {8, 8, 8},
		},
		step: [numHW][numAlgos][numProtos]float64{
			hwNVLink: {
				Tree:          {0.6, 1.25, 4},
				Ring:          {0.6, 1.9, 3.4},
				CollNetDirect: {0, 0, 3.7},
				CollNetChain:  {0, 0, 2.8},
				NVLS:          {0, 0, 25},
				NVLSTree:      {0, 0, 25},
				PAT:           {0, 0, 4},
			},
			hwPCI: {
				Tree:          {1, 1.9, 4},
				Ring:          {1, 2.5, 5.7},
				CollNetDirect: {0, 0, 3.7},
				CollNetChain:  {0, 0, 2.8},
				NVLS:          {0, 0, 0},
				NVLSTree:      {0, 0, 0},
				PAT:           {0, 0, 4},
			},
			hwNet: {
				Tree:          {5, 8.5, 14},
				Ring:          {2.7, 4, 14},
				CollNetDirect: {0, 0, 31},
				CollNetChain:  {0, 0, 30},
				NVLS:          {0, 0, 18},
				NVLSTree:      {0, 0, 20.9},
				PAT:           {0, 0, 14},
			},
		},
	},
}
