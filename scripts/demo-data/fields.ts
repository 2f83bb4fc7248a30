/** A made-up researcher's field: what is solved, and with what. */
export interface Field {
  readonly problems: readonly string[];
  readonly methods: readonly string[];
}

export const FIELDS: readonly Field[] = [
  {
    problems: [
      "traffic sign recognition",
      "image segmentation of leaves",
      "depth estimation from one camera",
      "matching of satellite images",
    ],
    methods: ["convolutional filters", "contrastive pretraining", "saliency maps", "stereo cues", "image pyramids"],
  },
  {
    problems: [
      "query expansion in library search",
      "ranking of legal documents",
      "passage retrieval for chemistry",
      "duplicate detection in archives",
    ],
    methods: ["inverted indexes", "term weighting", "relevance feedback", "dense passage encoders", "click models"],
  },
  {
    problems: [
      "grasping of soft objects",
      "navigation of warehouse robots",
      "balance control of walking machines",
      "drone landing on moving decks",
    ],
    methods: [
      "model predictive control",
      "tactile sensing",
      "imitation of demonstrations",
      "whole body planning",
      "inertial odometry",
    ],
  },
  {
    problems: [
      "edge coloring of planar graphs",
      "routing in interval graphs",
      "minimum cuts in hypergraphs",
      "drawing of outerplanar graphs",
    ],
    methods: [
      "tree decompositions",
      "local search with swaps",
      "linear programming bounds",
      "kernelization",
      "randomized contraction",
    ],
  },
  {
    problems: [
      "intrusion detection in power grids",
      "password strength estimation",
      "secure voting over mobile networks",
      "malware classification",
    ],
    methods: [
      "homomorphic encryption",
      "zero knowledge proofs",
      "system call traces",
      "honeypots",
      "hardware enclaves",
    ],
  },
  {
    problems: [
      "speech recognition for children",
      "keyword spotting in factories",
      "speaker diarization of meetings",
      "prosody transfer",
    ],
    methods: [
      "acoustic embeddings",
      "hidden semi-Markov models",
      "spectral augmentation",
      "beam search with lexicons",
      "pitch tracking",
    ],
  },
  {
    problems: [
      "placement of virtual machines",
      "scheduling of batch jobs",
      "replication in edge storage",
      "cold starts of serverless functions",
    ],
    methods: [
      "consistent hashing",
      "priority queues with ageing",
      "lease based caching",
      "workload forecasting",
      "erasure codes",
    ],
  },
  {
    problems: [
      "accessibility of ticket machines",
      "text entry on wearables",
      "trust in decision support",
      "remote collaboration on whiteboards",
    ],
    methods: ["diary studies", "eye tracking", "participatory design", "haptic feedback", "think aloud protocols"],
  },
  {
    problems: [
      "prediction of protein folding rates",
      "alignment of plant genomes",
      "cell counting under the microscope",
      "dosage planning for rare diseases",
    ],
    methods: [
      "suffix arrays",
      "survival analysis",
      "stochastic simulation of reactions",
      "Bayesian dose models",
      "motif discovery",
    ],
  },
  {
    problems: [
      "essay scoring",
      "knowledge tracing in algebra courses",
      "dropout prediction in online lessons",
      "feedback on student programs",
    ],
    methods: [
      "item response theory",
      "program repair",
      "mastery learning",
      "clustering of misconceptions",
      "spaced repetition",
    ],
  },
];
