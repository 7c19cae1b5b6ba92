package reference

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// deviation is one deliberate difference between simnet's own mode and the
// reference.
type deviation struct {
	id, title string
	reference string // what the reference does
	simnet    string // what simnet does
	why       string
	// revert gives the engine's own mode the reference's meaning of this one
	// matter; nil where only the mode as a whole can.
	revert func(*packet.Config)
	// cases are those in which the effect is measured; none says that no case
	// exercises it.
	cases  []string
	metric metric
	// seeds measures one seed of the own mode against another.
	seeds bool
}

// metric is the completion time that an effect is measured by.
type metric uint8

const (
	meanFlow     metric = iota // mean over the flows
	largestFlow                // of the flow with the most bytes
	smallestFlow               // of the flow with the fewest
	noTime                     // completion times do not tell
)

func (m metric) String() string {
	return [...]string{"mean completion", "completion of the largest flow", "completion of the smallest flow", "completion"}[m]
}

// oneMicrosecondHeadroom is the reference's headroom of a port of 100 Gbps and
// 1 us, which all ports of the cases that measure it have: three times rate x
// delay.
const oneMicrosecondHeadroom = 3 * 12500

var deviations = []deviation{
	{
		id: "D1", title: "Time in picoseconds",
		reference: "Integer nanoseconds; every serialization is cut down to a whole one. 1,048 B at 100 Gb/s take 83 ns in place of 83.84, at 400 Gb/s 20 in place of 20.96: links are up to 1 % too fast at 100 Gb/s, 5 % at 400.",
		simnet:    "Integer picoseconds, with the remainder carried where a rate does not divide them.",
		why:       "A packet takes as long as its bits. simnet is right. The `x_` cases have packets of 1,001 B (80.08 ns), which lose 0.1 % only.",
		cases:     []string{"a1_single_2link_100G", "a2_single_2link_25G", "x_a1_single_2link_100G"}, metric: largestFlow,
	},
	{
		id: "D2", title: "Completion at the receiver",
		reference: "A flow ends when its last ACK has reached the sender.",
		simnet:    "A flow ends when its last byte has been delivered; what waits for it (a GPU) is at the receiver.",
		why:       "Different definitions, both sound. On an idle path the difference is the way back of one ACK, half of a one-packet flow and nothing of a long one. Under pauses the reference's last ACK, in the class of the data, can wait for long: flow 28 to 18 of x_d_perm_ls64_none has delivered everything after 1.68 ms, and its last ACK arrives after 2.42 ms (D2b).",
		cases:     []string{"x_a1_single_2link_100G", "x_a7_single_6link_fat_100G_400G"}, metric: smallestFlow,
	},
	{
		id: "D2b", title: "The last ACK under pauses",
		reference: "As D2.", simnet: "As D2.", why: "As D2: the reference counts the time that the last ACK waits in queues of the data class. This row contains D10 too, which is small here.",
		cases: []string{"x_d_perm_ls64_none"},
	},
	{
		id: "D3", title: "Headers of RoCEv2",
		reference: "48 B a data packet, 60 B an ACK; no FCS, preamble or gap.",
		simnet:    "82 B a data packet and 86 B an ACK: Ethernet with FCS, preamble and gap, IPv4, UDP, BTH, ICRC.",
		why:       "That is what occupies the wire (IEEE 802.3; InfiniBand Architecture, annex A17). simnet is right. With 1,000 B of payload it costs 3.2 %, with the 4,096 B of real paths 0.8 %.",
		revert: func(c *packet.Config) {
			c.Framing = fabric.Framing{Payload: c.Framing.Payload, Header: 48, Ack: 60}
		},
		cases: []string{"x_a1_single_2link_100G", "x_c_incast_8to1_1MB_none", "d_perm_ls64_dctcp"},
	},
	{
		id: "D4", title: "CNPs are packets, delayed and paced",
		reference: "Each ACK carries the mark of the packet that it answers: as many notifications as marked packets, at once.",
		simnet:    "The receiver sends CNPs of their own, at most one in 4 us for each QP, 1 us after the mark.",
		why:       "NICs pace CNPs (4 to 50 us) and take time to make them. simnet is right. With the reference's timers, made for notifications without pacing, the reaction is weaker: more is marked.",
		revert:    func(c *packet.Config) { c.NICs[0].CNPInterval, c.NICs[0].CNPDelay = 0, 0 },
		cases:     []string{"c_incast_8to1_1MB_dcqcn", "x_s_incast_8to1_1MB_dcqcn_step", "x_s_two_flows_100M_dcqcn_step", "d_perm_ls64_dcqcn"},
	},
	{
		id: "D5", title: "ACKs in the control class",
		reference: "Switches put ACKs into the class of the data, whatever ACK_HIGH_PRIO says: they wait behind data, fill buffers, and stop when it is paused.",
		simnet:    "ACKs and CNPs travel in a strict-priority control class that is not paused, as RoCE deployments configure it.",
		why:       "A matter of configuration (`NIC.AckInData` selects the other). It shows where windows limit the senders and ACKs meet data: in d_perm_ls64_dctcp the mean hardly moves, but a flow whose ACKs no longer wait takes a larger share from those that it meets.",
		revert:    func(c *packet.Config) { c.NICs[0].AckInData, c.NICs[0].AckIgnoresPause = true, true },
		cases:     []string{"d_perm_ls64_dctcp", "x_d_perm_ls64_none", "d_perm_ls64_dcqcn"},
	},
	{
		id: "D6", title: "Pause frames of 802.1Qbb",
		reference: "43 B on the wire; a pause lasts until the resume, however long; the sender stops at once.",
		simnet:    "84 B with preamble and gap; a pause expires after its quanta and is repeated before that while the queue is still above XON; the sender takes 100 ns to stop.",
		why:       "That is the standard; a lost resume cannot stop a link for ever. simnet is right.",
		revert:    func(c *packet.Config) { c.PFC = packet.PFC{Frame: 43} },
		cases:     []string{"b1_two_flows_star_100M_none", "x_c_incast_32to1_10MB_none", "x_g_pfc_victim_ls16_none", "x_d_perm_ls64_none"},
	},
	{
		id: "D7", title: "Headroom that covers what is in flight",
		reference: "Three times rate x delay, without MTU and response time.",
		simnet:    "One round trip, three MTUs, the pause frame and the sender's response (802.1Qbb annex O).",
		why:       "The reference's is generous on long links and too small on short ones (at 1 m and 400 Gb/s it has 750 B: less than one packet, so that it would drop). simnet is right. What is not set aside is shared, which moves the thresholds.",
		revert:    func(c *packet.Config) { c.Switches[0].Headroom = oneMicrosecondHeadroom },
		cases:     []string{"x_p_incast_8to1_1MB_none_buf1MB", "x_c_incast_32to1_10MB_none", "x_g_pfc_victim_ls16_none"},
	},
	{
		id: "D8", title: "Byte counter of DCQCN",
		reference: "Rates rise by the timer alone.",
		simnet:    "By the timer and by every 10 MB sent, as in the paper.",
		why:       "Zhu et al., SIGCOMM 2015, figure 7. simnet is right; with the timers of these cases it rarely comes first.",
		revert:    func(c *packet.Config) { c.CC.DCQCN.ByteCounter = 0 },
		cases:     []string{"x_s_two_flows_100M_dcqcn_step", "b1_two_flows_star_100M_dcqcn"},
	},
	{
		id: "D9", title: "DCQCN reacts when a CNP arrives",
		reference: "Cuts and alpha are looked at by periodic timers that the first CNP starts: the first cut comes a whole interval (and 1 ns) after the first CNP, every later one up to an interval late; alpha rises once an interval in which any CNP came; hyper increase adds HAI once a step.",
		simnet:    "A CNP cuts at once unless the last cut is less than the interval ago, and raises alpha; alpha decays by its timer; hyper increase adds i x HAI in its i-th step.",
		why:       "Zhu et al., SIGCOMM 2015, section 3: alpha is raised by the CNP that cuts. With ALPHA_RESUME_INTERVAL 1 and RATE_DECREASE_INTERVAL 4 the reference raises it up to four times a cut, so that after a quiet time its cuts grow back faster; simnet's smaller cuts let more packets be marked. (With four raises a cut its marks in the three step cases are 5,917, 3,375 and 48,241: that is the cause.) Its first cut comes an interval earlier, which with the paper's 50 us halves the queue and leaves an eighth of the marks.",
		cases:     []string{"x_s_two_flows_100M_dcqcn_step", "x_s_incast_8to1_1MB_dcqcn_step", "x_s_incast_32to1_10MB_dcqcn_step", "b1_two_flows_star_100M_dcqcn_paper", "f_fat320_websearch30_2ms_dcqcn"},
	},
	{
		id: "D10", title: "Simultaneous events are fair",
		reference: "Events of one instant run in the order in which they were scheduled, so that of two inputs in step one can win every time.",
		simnet:    "Ties between inputs are broken by a seeded hash of port and time.",
		why:       "Real ports are not in step. simnet is right. The table compares two seeds of the ties: the rest of the mode being equal, that is the uncertainty of a single flow. HPCC is sensitive to it, so that the reference's order is one outcome of many.",
		seeds:     true,
		cases:     []string{"x_c_incast_8to1_1MB_none", "x_g_pfc_victim_ls16_none", "x_d_perm_ls64_none", "c_incast_8to1_1MB_hpcc", "b1_two_flows_star_100M_hpcc"},
	},
	{
		id: "D11", title: "INT of HPCC without rounding",
		reference: "Bytes in units of 128 B and queues of 80 B (times INT_MULTI), time in ns modulo 16.8 ms, five hops; the last ACK of a flow is used too.",
		simnet:    "Exact values, eight hops.",
		why:       "The rounding is a format's, not the algorithm's. Means over seeds of the ties (D10) are compared with the reference's one order; its two-flow case has one flow win early, one of the outcomes that simnet has too.",
		cases:     []string{"c_incast_8to1_1MB_hpcc", "b1_two_flows_star_100M_hpcc"},
	},
	{
		id: "D12", title: "Alpha is a parameter of the switch",
		reference: "Alpha is 1/8 at ports of the hosts' rate and doubles with each doubling of the rate.",
		simnet:    "One alpha for all ports of a switch model (1/8 unless set).",
		why:       "Switches have a profile a port speed; simnet has a class of switch for that. No case pauses at a faster port.",
	},
	{
		id: "D13", title: "Retransmission timeout",
		reference: "Go-back-N by NACK alone: a lost last packet, or a lost NACK, hangs the flow.",
		simnet:    "A timeout (NCCL_IB_TIMEOUT) with a limit of retries; go-back-N or selective repeat.",
		why:       "InfiniBand Architecture 9.7.6. simnet is right. No case loses a packet; the tests of fabric/packet check loss against closed forms.",
		revert:    func(c *packet.Config) { c.Recovery = packet.Recovery{NackInterval: 500 * sim.Microsecond} },
		cases:     []string{"x_d_perm_ls64_none"},
	},
	{
		id: "D14", title: "Parallel links stay apart",
		reference: "Parallel links between two switches collapse into one.",
		simnet:    "They are links of their own among which ECMP chooses; in compatibility mode too.",
		why:       "They exist. No case has any.",
	},
	{
		id: "D15", title: "Marking thresholds must be given",
		reference: "A link rate that KMIN_MAP does not list reads as Kmin 0.",
		simnet:    "An error in compatibility mode; in its own, the next lower entry in proportion to the rate.",
		why:       "No silent wrongness. All cases list their rates.",
	},
	{
		id: "D16", title: "Ideal time is a bound",
		reference: "standalone_ns: twice the propagation, a payload on every link, all bytes at the slowest rate. More than the idle time of the reference itself, so that slowdowns just under 1 occur.",
		simnet:    "The exact time of the flow alone; no completion is faster. In compatibility mode ideal_fct_ns is standalone_ns, so that slowdowns compare.",
		why:       "A slowdown under 1 hides errors; simnet checks that there is none.",
	},
	{
		id: "D17", title: "A packet that waits for nothing is not queued",
		reference: "Every packet enters the egress queue, so that the largest queue is at least one packet.",
		simnet:    "A packet that finds its egress free passes without entering buffer and queue.",
		why:       "The same times; only the smallest numbers of the queue statistics differ.",
		cases:     []string{"a1_single_2link_100G", "b1_two_flows_star_100M_hpcc"}, metric: noTime,
	},
	{
		id: "D18", title: "A rate limiter keeps its rate",
		reference: "The next packet of a QP may leave a packet's time at its rate after the last one began, however long that one had waited for the port: QPs that share a NIC push one another back, and together lose 6 to 14 % of their rates at 60 to 97 % of the port's.",
		simnet:    "The next packet is due a packet's time after the last one was due: a token bucket one packet deep, so that a QP sends at its rate in the mean and never two packets ahead.",
		why:       "NICs shape with a bounded burst (ibv_modify_qp_rate_limit(3): rate_limit, max_burst_sz). The reference's inputs have QPs of one host at odds only in short flows.",
	},
}
