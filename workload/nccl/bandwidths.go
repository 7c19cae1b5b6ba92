package nccl

// Bandwidth ceilings in GB/s by NCCL version, transcribed as figures from
// github.com/NVIDIA/nccl src/graph/tuning.cc at the tags named. Rows: Volta,
// Ampere, Hopper, Blackwell; columns: one node, two nodes, more. A row that a
// version does not have is that of the newest architecture it knows. v2.12.12
// gives one LL128 ceiling for ring and tree; v2.8.3 gives none and no ceiling
// applies (zero).

// ceilings is indexed by architecture generation and node scale.
type ceilings [4][3]float64

// bandwidthTable holds one version's ceilings. llMax bounds the bus bandwidth
// of LL (row by GPU on one node; on several, row 0 for Intel hosts and row 1
// for AMD or mixed ones); the others bound one channel.
type bandwidthTable struct {
	llMax, treeCh, ringLL128Ch, treeLL128Ch, nvlsTreeCh ceilings
}

// bandwidthTables is in the order of tunerVersions.
var bandwidthTables = []bandwidthTable{
	{ // v2.8.3-1
		llMax:  ceilings{{39, 39, 20.4}, {87.7, 22.5, 19}, {87.7, 22.5, 19}, {87.7, 22.5, 19}},
		treeCh: ceilings{{26.5, 18.5, 10}, {24, 22.5, 16}, {24, 22.5, 16}, {24, 22.5, 16}},
	},
	{ // v2.12.12-1
		llMax:       ceilings{{39, 39, 20.4}, {87.7, 22.5, 19}, {87.7, 22.5, 19}, {87.7, 22.5, 19}},
		treeCh:      ceilings{{26.5, 18.5, 10}, {24, 23.6, 17.8}, {24, 23.6, 17.8}, {24, 23.6, 17.8}},
		ringLL128Ch: ceilings{{20, 20, 20}, {20, 20, 20}, {20, 20, 20}, {20, 20, 20}},
		treeLL128Ch: ceilings{{20, 20, 20}, {20, 20, 20}, {20, 20, 20}, {20, 20, 20}},
	},
	{ // v2.18.3-1
		llMax:       ceilings{{39, 39, 20.4}, {87.7, 22.5, 19}, {87.7, 22.5, 19}, {87.7, 22.5, 19}},
		treeCh:      ceilings{{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {38.7, 41.4, 36}},
		ringLL128Ch: ceilings{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {36.7, 36.7, 36.7}},
		treeLL128Ch: ceilings{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {36.7, 36.7, 29}},
	},
	{ // v2.23.4-1
		llMax:       ceilings{{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {141, 45, 35}},
		treeCh:      ceilings{{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {38.7, 41.4, 36}},
		ringLL128Ch: ceilings{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {36.7, 36.7, 36.7}},
		treeLL128Ch: ceilings{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {36.7, 36.7, 29}},
	},
	{ // v2.27.7-1
		llMax:       ceilings{{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}},
		treeCh:      ceilings{{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {77.4, 82.8, 72}},
		ringLL128Ch: ceilings{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {73.4, 73.4, 73.4}},
		treeLL128Ch: ceilings{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {73.4, 73.4, 58}},
	},
	{ // v2.30.7-1
		llMax:       ceilings{{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}},
		treeCh:      ceilings{{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}},
		ringLL128Ch: ceilings{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {40, 40, 40}},
		treeLL128Ch: ceilings{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}},
		nvlsTreeCh:  ceilings{{}, {}, {0, 57.7, 45.5}, {0, 96, 80}},
	},
}
