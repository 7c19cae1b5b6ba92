// Package importer reads files of other tools and writes them as fragments of a
// scenario: nvidia-smi topo -m, NCCL topology XML, Megatron-LM launch lines,
// Hugging Face config.json, SONiC config_db.json, SimAI workloads and
// topologies, Chakra traces, htsim matrices and topologies, GOAL schedules.
// Kinds lists them; Import reads one. A file that is wrong gives an *Error with
// file:line:column (byte offset in binary formats), what is wrong and what was
// probably meant; what is read with a doubt is a warning.
//
// Fragments use the keys of package scenarios. What a scenario has no key for
// stands in the fragment's comments. Workloads become jobs of this form:
//
//	jobs[].trace            operations instead of a model and traffic
//	  format                goal, chakra or simai
//	  ranks, operations     goal, chakra: a dependency graph
//	    {id, rank, op, name, time, bytes, collective, group, to|from, tag,
//	     stream, nic, after, after_start}; op is compute, send, recv,
//	    collective, memory or nothing; after lists ids that must have ended,
//	    after_start ids that must have begun; to and from are ranks or any
//	  micro_batches, pp_bytes, layers     simai: what one GPU runs
//	    {name, forward, input_grad, weight_grad, update}, each phase with
//	    {time, collective, group, bytes}
//	  files                 in place of operations or layers where there are
//	    more than 2000: the files that were read
//
// Terms: island (GPUs that all reach each other over NVLink), link class (PIX,
// PXB, PHB, NODE, SYS, NV#), mapped (has a place in the fragment).
//
// importer imports the standard library, yaml.v3 and protowire, nothing of
// simnet.
package importer
