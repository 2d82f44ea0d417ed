// The table of the verbs, with their help and their examples.
#include <cli/flags.hpp>

#include <array>

namespace weft::cli {

namespace {

constexpr std::array verb_table = {
    verb{"scan", "MOTIFS SEQUENCES...", "find every match of PROSITE motifs in sequences",
         "MOTIFS is a PROSITE flat file (prosite.dat), or a text file of one pattern a line (pattern, or "
         "name, tab, pattern); patterns given with -e take "
         "its place. SEQUENCES are FASTA or FASTQ files; - is standard input. gzip, bzip2, zstd and xz are "
         "recognised by their first bytes.\n\n"
         "By default the matches are those of ps_scan.pl 1.90: at each start the first alternative of greedy "
         "backtracking, and none that ends no later than "
         "the one before. Text is compared case-blind, positions count every residue, and symbols other than "
         "letters match x alone. Positions are 1-based and "
         "inclusive, but for bed.\n\n"
         "--plot FILE draws a figure of the domains of the first 20 sequences that have matches, or of those "
         "that "
         "--sequence names, beside the output: 180 mm wide, all on one scale, with a ruler and a legend. "
         "Domains of "
         "DNA point along their strand, the reverse strand lies below the line. What is not drawn is said.",
         "weft scan motifs.txt proteins.fa\n"
         "weft scan -e 'N-{P}-[ST]-{P}' proteins.fa --format bed -o sites.bed\n"
         "weft scan -e GAATTC mt_human.fa --circular --format gff3\n"
         "weft scan motifs.txt proteins.fa --matches count --per-sequence\n"
         "weft scan motifs.txt proteins.fa --plot domains.svg -o matches.tsv",
         0, -1},
    verb{
        "lcs", "A B", "longest common subsequence, indel or edit distance of two sequences",
        "A and B are FASTA or FASTQ files of one record each (of several, --a-record and --b-record choose "
        "one, and --join makes them one), compared case-blind; with --raw or --by byte "
        "any files, byte by byte; with --by line text files, line by line, and with --by word the words "
        "between white space.\n\n"
        "Gaps of an alignment (- and .) are removed, with a note. Sequences are DNA if at least 95 % of "
        "their "
        "first 65536 letters are A, C, G, T, U or N, else proteins. In DNA, U is T, and N and X are unknown; "
        "in proteins X is. --unknown says what unknown letters mean; positions always count them. A note "
        "says where the reverse complement of B fits better, and where the LCS is no longer than that of "
        "shuffled sequences.\n\n"
        "Without --format, or with tsv, a record is printed: lengths, length of the LCS, identity (defined "
        "there), distances. With it, the path: of all optimal paths "
        "the leftmost, the same on every engine and machine. In ops and paf, = takes a symbol of both, D "
        "one of A, I one of B, X (with --metric edit) "
        "substitutes one.\n\n"
        "--plot FILE draws the path, A to the right and B upwards, over a track of the matches in windows "
        "along A, beside whatever is printed; FILE ends in .svg, .png or .html, and appears whole or not at "
        "all. Under the path of two DNA texts lie the k-mers that match on the forward strand and, in "
        "another colour, on the reverse strand, so that an inversion is seen as one. The .html needs "
        "nothing else, shows finer detail, and opens where its address says (plot.html#x=1000-2000).\n\n"
        "An --engine that does not run on the device that WEFT_DEVICE names runs on one that it can use.",
        "weft lcs mt_human.fa mt_orang.fa\n"
        "weft lcs mt_human.fa mt_orang.fa --metric edit --length\n"
        "weft lcs sarscov2_WuhanHu1.fa sarscov2_21L_BA2.fa --unknown skip\n"
        "weft lcs sarscov2_WuhanHu1.fa sarscov2_21L_BA2.fa --format paf --plot path.svg\n"
        "weft lcs --by line mt_human.fa mt_orang.fa --format ops",
        0, 2},
    verb{"sort", "[FILE...]", "sort lines of text, or arrays of numbers",
         "Lines are compared byte by byte, or as the flags say, which mean what they mean to GNU sort 9.1 in "
         "the C locale; without FILE, and for -, standard input is read. Files larger than the memory limit "
         "go "
         "through temporary files. Long flags may be abbreviated, and obsolete keys (+POS1 -POS2) are taken "
         "as "
         "GNU sort takes them.\n\n"
         "Called by the name sort, as by a link, weft is weft sort with the messages and exit codes of GNU "
         "sort "
         "(1: not sorted, 2: trouble), and takes files as they are: compressed files and arrays are text "
         "then.\n\n"
         "With --type, or if FILE is an .npy file, FILE is an array of numbers: raw and little-endian, or of "
         "the "
         "type that the .npy file states. Floats order -0 before +0, and NaN last. -r, --by-key (raw values "
         "have the type of the keys) and --argsort apply to arrays, the flags of keys, lines and temporary "
         "files to lines.\n\n"
         "On a GPU (--device gpu; auto: large inputs where there is one) numbers are sorted, and lines by "
         "their first eight bytes, or those of their keys, to the same bytes; what does not fit its memory, "
         "or --device-memory, in runs that are merged. -m and -c run on the CPU. A device that WEFT_DEVICE "
         "names gives way to them, and to an --engine that does not run there.",
         "weft sort -t '|' -k3,3 proteins.fa -o sorted.txt\n"
         "weft sort -u motifs.txt | weft sort -c\n"
         "printf '3\\n10\\n2\\n' | weft sort -n\n"
         "printf 'name,size\\nb,2\\na,10\\n' | weft sort --csv -k size:n",
         0, -1},
    verb{
        "bwt", "FILE", "Burrows-Wheeler transform of a file",
        "The output holds the form, the length, the primary index and a checksum, and then the transformed "
        "bytes; with --raw the bytes alone, and the primary index goes to standard output. A compressed FILE "
        "is decompressed first (see --no-decompress).",
        "weft bwt sarscov2_WuhanHu1.fa -o genome.wbwt\n"
        "weft bwt sarscov2_WuhanHu1.fa --stats\n"
        "weft bwt sarscov2_WuhanHu1.fa --stats --format jsonl",
        1, 1},
    verb{"unbwt", "FILE", "the file that weft bwt transformed",
         "The checksum of the text is verified before the output appears.",
         "weft unbwt genome.wbwt -o genome.fa\n"
         "weft unbwt genome.wbwt | cmp - sarscov2_WuhanHu1.fa",
         1, 1},
    verb{"sa", "FILE", "suffix array of a file, as .npy",
         "32-bit numbers below 2 GiB of text, 64-bit numbers above.",
         "weft sa mt_human.fa -o suffixes.npy\n"
         "weft sa mt_human.fa -o suffixes.npy --lcp lcp.npy -v",
         1, 1},
    verb{"index", "REFERENCE...", "index FASTA files for weft find",
         "An FM-index of all records. The index is checksummed, memory-mapped by weft find, and the same on "
         "every machine.",
         "weft index mt_human.fa mt_orang.fa -o mt.wfi\n"
         "weft index proteins.fa --alphabet protein -o proteins.wfi",
         1, -1},
    verb{
        "find", "INDEX PATTERNS", "find every exact occurrence of patterns in an index",
        "PATTERNS is FASTA, FASTQ, or text of one pattern a line (pattern, or name, tab, pattern; lines that "
        "start with # are comments); patterns given with -e take its place. INDEX is a file, not standard "
        "input. In an index of DNA A, C, G and T match themselves in either case, and U is T. A pattern with "
        "any other letter can never match: such a -e is an error, such patterns of a file are counted in a "
        "warning (see --strict). Positions are 1-based and inclusive, but for bed and paf.\n\n"
        "With --device gpu the index is copied to the GPU and searched there, to the same output.",
        "weft find mt.wfi -e GATTACA --both-strands\n"
        "weft find mt.wfi -e GATTACA -e TATAAA --count\n"
        "printf 'GATTACA\\nTATAAA\\n' | weft find mt.wfi - --circular --format bed -o hits.bed",
        1, 2},
    verb{"info", "FILE...", "tell what files hold: an index, a transform, sequences, an array, motifs",
         "FILE is an index of weft index, a transform of weft bwt, FASTA or FASTQ, an array (.npy), a "
         "PROSITE flat "
         "file or a list of patterns; the first bytes tell them apart, also behind gzip, bzip2, zstd and xz. "
         "Files are "
         "read to their end, checksums are verified, and files of any size take a fixed amount of memory: "
         "beside "
         "a few buffers that of one pattern, or one record of FASTQ, and with --names that of the names. A "
         "file "
         "that is none of these, or is damaged, is reported, the others are described, and the exit code is "
         "that "
         "of the first fault.\n\n"
         "The table has a line for each property of a file. Of sequences these are the records, the "
         "residues, the "
         "shortest and the longest record, the alphabet (dna if at least 95 % of the first 65,536 letters "
         "are A, C, "
         "G, T, U or N), the share of G and C, the residues that are unknown (N in dna, X in proteins), "
         "gaps, and in "
         "lower case, and the count of each letter in either case.",
         "weft info mt_human.fa motifs.txt\n"
         "weft info mt.wfi --names\n"
         "weft info genome.wbwt suffixes.npy --format jsonl",
         1, -1},
    verb{"devices", "", "list processors and GPUs, and with --engines what can run on them",
         "Each capability lists its engines, and why one is not available here.",
         "weft devices\n"
         "weft devices --engines\n"
         "weft devices --format jsonl",
         0, 0},
    verb{"help", "[VERB]", "explain weft or one of its verbs", "", "", 0, 1},
    verb{"man", "", "print the man page, as roff", "", "weft man >weft.1", 0, 0},
    verb{"completion", "bash|zsh|fish", "print the completions of a shell", "",
         "weft completion bash >weft.bash", 1, 1},
};

} // namespace

std::span<const verb> verbs() { return verb_table; }

} // namespace weft::cli
