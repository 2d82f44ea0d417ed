// The table of the verbs, with their help and their examples.
#include <cli/flags.hpp>

#include <array>

namespace weft::cli {

namespace {

constexpr std::array verb_table = {
    verb{"scan", "MOTIFS SEQUENCES...", "find every match of PROSITE motifs in sequences",
         "MOTIFS is a PROSITE flat file (prosite.dat) or a text file with one pattern per line (either a "
         "pattern, or a name, a tab and a pattern). Patterns given with -e replace MOTIFS. SEQUENCES are "
         "FASTA or FASTQ files; - means standard input. Files compressed with gzip, bzip2, zstd or xz "
         "are recognised by their first bytes.\n"
         "\n"
         "By default, weft reports the matches that ps_scan.pl 1.90 reports: at each start position the "
         "first alternative that greedy backtracking finds, except matches that end no later than the "
         "match before them. Upper and lower case are equal, positions count every residue, and symbols "
         "other than letters match only x. Positions are 1-based and inclusive, except in bed.\n"
         "\n"
         "--plot FILE writes a figure in addition to the output. It shows the domains of the first 20 "
         "sequences that have matches, or of the sequences named by --sequence. The figure is 180 mm "
         "wide and has one scale for all sequences, a ruler and a legend. Domains of DNA point along "
         "their strand, and those of the reverse strand lie below the line. weft reports what the figure "
         "leaves out.",
         "weft scan motifs.txt proteins.fa\n"
         "weft scan -e 'N-{P}-[ST]-{P}' proteins.fa --format bed -o sites.bed\n"
         "weft scan -e GAATTC mt_human.fa --circular --format gff3\n"
         "weft scan motifs.txt proteins.fa --matches count --per-sequence\n"
         "weft scan motifs.txt proteins.fa --plot domains.svg -o matches.tsv",
         0, -1},
    verb{"lcs", "A B", "longest common subsequence, indel or edit distance of two sequences",
         "A and B are FASTA or FASTQ files with one record each. If a file has several records, "
         "--a-record and --b-record choose one, and --join joins them to one sequence. Upper and lower "
         "case are equal. With --raw or --by byte, A and B are files of any kind, compared byte by byte. "
         "With --by line they are text files, compared line by line, and with --by word they are compared "
         "by the words between white space.\n"
         "\n"
         "Gaps of an alignment (- and .) are removed, with a note. Sequences are treated as DNA if at "
         "least 95 % of their first 65,536 letters are A, C, G, T, U or N, and as proteins otherwise. In "
         "DNA, U is the same as T, and N and X are unknown letters; in proteins, X is the unknown letter. "
         "--unknown chooses what unknown letters match; positions always count them. weft prints a note "
         "if the reverse complement of B fits A better, or if the LCS is no longer than that of shuffled "
         "sequences.\n"
         "\n"
         "Without --format, or with --format tsv, weft prints a record: the lengths of A and B, the "
         "length of the LCS, the identity (with its definition) and the distances. The other formats "
         "print the path: the leftmost of all optimal paths, which is the same on every engine and "
         "machine. In ops and paf, = takes a symbol from both, D takes one from A, I takes one from B, "
         "and X (only with --metric edit) substitutes one symbol.\n"
         "\n"
         "--plot FILE draws the path in addition to the output: A runs to the right, B runs upwards, and "
         "a track below shows the matches in windows along A. FILE must end in .svg, .png or .html, and "
         "appears only when it is complete. For two DNA sequences, the picture also shows the k-mers that "
         "match on the forward strand and, in another colour, those on the reverse strand, so that an "
         "inversion is visible. The .html page needs no other files, shows finer detail, and opens at the "
         "region in its address (plot.html#x=1000-2000).\n"
         "\n"
         "If the environment variable WEFT_DEVICE names a device on which --engine does not run, the "
         "engine runs on a device that it supports.",
         "weft lcs mt_human.fa mt_orang.fa\n"
         "weft lcs mt_human.fa mt_orang.fa --metric edit --length\n"
         "weft lcs mt_human.fa mt_orang.fa --metric affine --format paf\n"
         "weft lcs sarscov2_WuhanHu1.fa sarscov2_21L_BA2.fa --unknown skip\n"
         "weft lcs sarscov2_WuhanHu1.fa sarscov2_21L_BA2.fa --format paf --plot path.svg\n"
         "weft lcs --by line mt_human.fa mt_orang.fa --format ops",
         0, 2},
    verb{"sort", "[FILE...]", "sort lines of text, or arrays of numbers",
         "Lines are compared byte by byte, or as the flags say. The flags mean the same as in GNU sort "
         "9.1 in the C locale. Without FILE, or if FILE is -, weft reads standard input. Files that are "
         "larger than the memory limit are sorted with temporary files. Long flags may be abbreviated, "
         "and obsolete keys (+POS1 -POS2) are accepted as in GNU sort.\n"
         "\n"
         "If weft is called by the name sort, for example through a link, it runs weft sort with the "
         "messages and exit codes of GNU sort (1: not sorted, 2: trouble). It then treats every file as "
         "text, including compressed files and arrays.\n"
         "\n"
         "With --type, or if FILE is an .npy file, FILE is an array of numbers: raw little-endian "
         "numbers of that type, or the type stated in the .npy file. In arrays of floats, -0 comes "
         "before +0, and NaN comes last. The flags -r, --by-key and --argsort apply to arrays; with "
         "--by-key, raw values have the type of the keys. The flags about keys, lines and temporary "
         "files apply only to lines.\n"
         "\n"
         "With --device gpu, or with auto for large inputs if there is a GPU, numbers and lines are "
         "sorted on the GPU. The output is the same as on the CPU. If lines do not fit the memory of "
         "the GPU, or --device-memory, or agree in thousands of bytes, the GPU sorts them by the first "
         "eight bytes, and the CPU does the rest; numbers that do not fit are sorted in runs, which are "
         "then merged. -m and -c always run on the CPU: a device named by "
         "WEFT_DEVICE is ignored for them, and also for an --engine that does not run on it.",
         "weft sort -t '|' -k3,3 proteins.fa -o sorted.txt\n"
         "weft sort -u motifs.txt | weft sort -c\n"
         "printf '3\\n10\\n2\\n' | weft sort -n\n"
         "printf 'name,size\\nb,2\\na,10\\n' | weft sort --csv -k size:n",
         0, -1},
    verb{"bwt", "FILE", "Burrows-Wheeler transform of a file",
         "The output contains the form, the length, the primary index and a checksum, followed by the "
         "transformed bytes. With --raw it contains only the bytes, and the primary index is printed on "
         "standard output. A compressed FILE is decompressed first (see --no-decompress).",
         "weft bwt sarscov2_WuhanHu1.fa -o genome.wbwt\n"
         "weft bwt sarscov2_WuhanHu1.fa --stats\n"
         "weft bwt sarscov2_WuhanHu1.fa --stats --format jsonl",
         1, 1},
    verb{"unbwt", "FILE", "restore the file that weft bwt transformed",
         "The checksum of the text is verified before the output appears.",
         "weft unbwt genome.wbwt -o genome.fa\n"
         "weft unbwt genome.wbwt | cmp - sarscov2_WuhanHu1.fa",
         1, 1},
    verb{"sa", "FILE", "suffix array of a file, as .npy",
         "The array has 32-bit numbers if FILE is smaller than 2 GiB, and 64-bit numbers otherwise.",
         "weft sa mt_human.fa -o suffixes.npy\n"
         "weft sa mt_human.fa -o suffixes.npy --lcp lcp.npy -v",
         1, 1},
    verb{"index", "REFERENCE...", "index FASTA files for weft find and weft mem",
         "Builds one FM-index of all records. The index file contains checksums and is the same on every "
         "machine; weft find and weft mem map it into memory.",
         "weft index mt_human.fa mt_orang.fa -o mt.wfi\n"
         "weft index proteins.fa --alphabet protein -o proteins.wfi",
         1, -1},
    verb{
        "find", "INDEX PATTERNS", "find every occurrence of patterns in an index, exact or with differences",
        "PATTERNS is a FASTA or FASTQ file, or a text file with one pattern per line (either a pattern, "
        "or a name, a tab and a pattern; lines that start with # are comments). Patterns given with -e "
        "replace PATTERNS. INDEX must be a file; it cannot be standard input. In an index of DNA, the "
        "letters A, C, G and T match themselves in upper and lower case, and U is the same as T. A "
        "pattern with any other letter can never match without --mismatches or --errors: given with -e it is "
        "an error, and in a file such patterns are counted in a warning (see --strict). Positions are "
        "1-based and inclusive, except "
        "in bed and paf.\n"
        "\n"
        "With --device gpu, the index is copied to the GPU and searched there; the output is the same. With "
        "--split-index, --mismatches and --errors run on the CPU only.\n"
        "\n"
        "With --split-index, the first argument is a FASTA or FASTQ file of references instead of an index, "
        "and - means standard input. The ranks of a job (mpirun -n 8 weft find ...) build the index in "
        "memory, each of its share of the records, so that no host needs memory for all of it.",
        "weft find mt.wfi -e GATTACA --both-strands\n"
        "weft find mt.wfi -e GATTACA -e TATAAA --count\n"
        "weft find mt.wfi -e GATTACATTTCCAGG --mismatches 3 --exact-suffix 2 --both-strands\n"
        "printf 'GATTACA\\nTATAAA\\n' | weft find mt.wfi - --circular --format bed -o hits.bed\n"
        "weft find --split-index mt_human.fa -e GATTACA",
        1, 2},
    verb{
        "mem", "REFERENCE QUERY...", "find the exact matches between sequences and an index",
        "REFERENCE is an index of DNA made by weft index, or a FASTA or FASTQ file, whose index weft then "
        "builds in memory. QUERY is a FASTA or FASTQ file; - means standard input. A match is a stretch of "
        "a query that equals a stretch of a reference. It is maximal if neither end can be extended by a "
        "letter. Only A, C, G and T match, in upper and lower case, and U is the same as T; so no match "
        "contains an N. Each strand of each record of QUERY is searched as a sequence of its own.\n"
        "\n"
        "--kind mem reports all maximal matches, like mummer -maxmatch -n. --kind mum-ref reports those "
        "whose letters occur once in the references (mummer -mumreference), and --kind mum those whose "
        "letters also occur once in the strand of the query (mummer -mum). --kind smem reports super-maximal "
        "matches: the stretches of a query that occur at least --min-occ times in the references, and that "
        "lie in no longer stretch that does.\n"
        "\n"
        "With --device gpu, or with auto for large inputs if there is a GPU, the matches of --kind mem are "
        "found on the GPU; the output is the same as on the CPU. The other kinds run only on the CPU.\n"
        "\n"
        "Matches are listed in the order of the queries, the forward strand first, then by their positions "
        "on that strand, then by reference and position. Positions are 1-based and inclusive, except in paf. "
        "On the reverse strand (-), query_begin and query_end are positions in the query as given: the "
        "reverse complement of these letters is the matching stretch of the reference.\n"
        "\n"
        "--plot FILE draws the matches in addition to the output: the records of REFERENCE run to the right, "
        "those of all QUERY files run upwards, each from end to end. Matches of the forward strand ascend "
        "and "
        "matches of the reverse strand (--both-strands) descend, in another colour, so that inversions and "
        "rearrangements are visible; --kind mum-ref leaves out repeats. A picture draws matches shorter than "
        "a pixel as dots. A page (.html) contains the 200,000 longest matches and opens at the region in its "
        "address (plot.html#x=1000-2000&y=1000-2000).",
        "weft mem mt_human.fa mt_orang.fa --min-length 50\n"
        "weft mem mt.wfi mt_orang.fa --kind mum --both-strands --format paf -o matches.paf\n"
        "weft mem mt_human.fa mt_orang.fa --kind mum-ref --both-strands --plot mt.svg -o matches.tsv",
        2, -1},
    verb{
        "variants", "A B", "compare two genomes: the variants that make B out of A, and what is rearranged",
        "A and B are FASTA or FASTQ files of DNA with any number of records, such as chromosomes or contigs; "
        "- "
        "means standard input. Each record of B is compared with the record of A with which it has the most "
        "exact matches, on the strand on which it has them. What the two have in the same order is aligned "
        "in "
        "collinear blocks. What is left of B is looked for elsewhere in A, on both strands: inverted, moved "
        "and "
        "duplicated blocks. If a circular record of B begins at another letter than the record of A, it is "
        "compared from the letter at which A begins. Alignments have the least penalty with affine gaps, as "
        "those of weft lcs --metric affine. Only A, C, G and T match, in upper and lower case, and U is the "
        "same as T; no variant contains any other letter.\n"
        "\n"
        "--format vcf (the default) lists SNPs, insertions, deletions and replacements (TYPE=complex), "
        "left-normalised as by bcftools norm. If nothing is rearranged, no letter is N or U, and each record "
        "of B has a record of A for itself, on the same strand and from the same letter on, then bcftools "
        "consensus makes the letters of B out of A and the "
        "variants. Lines ##weft_block of the header list the blocks that are not collinear, and "
        "##weft_missing "
        "and ##weft_added the stretches of A and of B in no block. --format tsv has a line for each variant "
        "with its positions in A and in B. --format paf has a line for each block with its CIGAR; the tag kd "
        "says what the block is. Positions are 1-based and inclusive, except in paf.\n"
        "\n"
        "--plot FILE draws the blocks as a dot plot in addition to the output, as weft mem --plot does, in a "
        "colour for each kind of block.\n"
        "\n"
        "At the end, weft prints a summary on standard error.",
        "weft variants mt_human.fa mt_orang.fa --format paf\n"
        "weft variants sarscov2_WuhanHu1.fa sarscov2_21L_BA2.fa -o variants.vcf\n"
        "weft variants sarscov2_WuhanHu1.fa sarscov2_21L_BA2.fa --format tsv --quiet",
        2, 2},
    verb{"info", "FILE...", "describe files: an index, a transform, sequences, an array, motifs",
         "FILE is an index made by weft index, a transform made by weft bwt, a FASTA or FASTQ file, an "
         "array (.npy), a PROSITE flat file or a list of patterns. weft recognises the kind by the first "
         "bytes, also if the file is compressed with gzip, bzip2, zstd or xz. Files are read to their "
         "end, and checksums are verified. Files of any size need only a fixed amount of memory: a few "
         "buffers, one pattern or one FASTQ record, and with --names the names. If a file is of another "
         "kind or is damaged, weft reports it and still describes the other files; the exit code is that "
         "of the first error.\n"
         "\n"
         "The table has one line for each property of a file. For sequences, the properties are the "
         "number of records and residues, the lengths of the shortest and the longest record, the "
         "alphabet (dna if at least 95 % of the first 65,536 letters are A, C, G, T, U or N), the share "
         "of G and C, the numbers of unknown residues (N in dna, X in proteins), of gaps and of "
         "lower-case letters, and the count of each letter, upper and lower case together.",
         "weft info mt_human.fa motifs.txt\n"
         "weft info mt.wfi --names\n"
         "weft info genome.wbwt suffixes.npy --format jsonl",
         1, -1},
    verb{"devices", "",
         "list the processor and the GPUs, and with --engines the engines that can run on "
         "them",
         "--engines lists the engines of each capability. If an engine is not available on this machine, "
         "the list says why.",
         "weft devices\n"
         "weft devices --engines\n"
         "weft devices --format jsonl",
         0, 0},
    verb{"help", "[VERB]", "show help about weft or about one of its verbs", "", "", 0, 1},
    verb{"man", "", "print the man page in roff format", "", "weft man >weft.1", 0, 0},
    verb{"completion", "bash|zsh|fish", "print the completion script for a shell", "",
         "weft completion bash >weft.bash", 1, 1},
};

} // namespace

std::span<const verb> verbs() { return verb_table; }

} // namespace weft::cli
