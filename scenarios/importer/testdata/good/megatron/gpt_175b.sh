#!/bin/bash
# 175 B parameters on 128 nodes
#SBATCH --nodes=128 --ntasks-per-node=8
export NCCL_IB_TIMEOUT=19
export NCCL_IB_QPS_PER_CONNECTION=4
export CUDA_DEVICE_MAX_CONNECTIONS=1
TP=8; PP=16
VPP_LAYERS=3
GPUS=8
NODES=${SLURM_NNODES:-128}
LAYERS=$(( PP * 6 ))
DATA="/data/with blank"
if [ -z "$VOCAB" ]; then
  VOCAB=$DATA/vocab.json
fi
ARGS=(
    --tensor-model-parallel-size $TP   # inside a node
    --pipeline-model-parallel-size ${PP}
    --num-layers-per-virtual-pipeline-stage $VPP_LAYERS
    --sequence-parallel --use-distributed-optimizer
    --num-layers "$LAYERS" --hidden-size 12288 --num-attention-heads 96
    --seq-length 2048 --max-position-embeddings 2048
    --micro-batch-size 1 --global-batch-size=1536
    --recompute-granularity selective
    --bf16 --lr 6.0e-5 --min-lr 6.0e-6 --split 949,50,1
    --vocab-file "$VOCAB"
)
torchrun --nproc_per_node $GPUS --nnodes $NODES pretrain_gpt.py \
    "${ARGS[@]}" \
    --overlap-grad-reduce --overlap-param-gather \
    --train-iters 100 --no-such-option 3 --tensor-model-paralel-size 8 > log.txt 2>&1
