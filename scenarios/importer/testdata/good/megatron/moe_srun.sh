#!/bin/sh
DIR=`pwd`
options=" \
  --tensor-model-parallel-size 1 --pipeline-model-parallel-size 4 \
  --expert-model-parallel-size 8 --context-parallel-size 1 \
  --num-layers 61 --hidden-size 7168 --ffn-hidden-size 18432 --num-attention-heads 128 \
  --multi-latent-attention --q-lora-rank 1536 --kv-lora-rank 512 --swiglu --untie-embeddings-and-output-weights \
  --num-experts 256 --moe-router-topk 8 --moe-ffn-hidden-size 2048 --moe-shared-expert-intermediate-size 2048 \
  --moe-layer-freq '([0]*3+[1]*58)' --mtp-num-layers 1 \
  --decoder-first-pipeline-num-layers 16 --decoder-last-pipeline-num-layers 15 \
  --seq-length 4096 --position-embedding-type rope --tokenizer-type HuggingFaceTokenizer \
  --micro-batch-size 1 --global-batch-size 512 --bf16 --fp8-format hybrid --grad-reduce-in-bf16 \
  --recompute-granularity full --recompute-method uniform --recompute-num-layers 1 \
  --use-tp-pp-dp-mapping --optimizer muon"
run_cmd="python -u ${DIR}/pretrain_gpt.py ${options}"
srun -N8 --ntasks-per-node=8 --output=out.log bash -c "${run_cmd}"
