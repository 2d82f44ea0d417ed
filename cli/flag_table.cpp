// The table of the flags of all verbs, from which the parser, the help, the man page and the completions are
// derived.
#include <cli/flags.hpp>

#include <array>

namespace weft::cli {

namespace {

constexpr std::string_view work = "scan lcs sort bwt unbwt sa index find mem variants";
// The verbs of `work` with -t for --threads, and those of `reports` with -v for --verbose.
constexpr std::string_view threads_letter = "scan lcs bwt unbwt sa index find mem variants";
constexpr std::string_view verbose_letter = "lcs sort bwt unbwt sa index find mem variants info";
// The verbs that read whole files and report their progress.
constexpr std::string_view reports = "scan lcs sort bwt unbwt sa index find mem variants info";

constexpr std::array flag_table = {
    flag{"pattern", 'e', "PATTERN", "", "",
         "search for this pattern instead of the motifs of a file MOTIFS; may be repeated; the patterns "
         "are named USER001, USER002, ... as by ps_scan -p",
         "scan", "", true},
    flag{"motif", '\0', "ACCESSION", "", "",
         "search only for the motif of MOTIFS with this accession or name; may be repeated", "scan", "",
         true},
    flag{"alphabet", '\0', "NAME", "auto", "auto|protein|dna|bytes",
         "what the letters mean: amino acids, IUPAC nucleotide codes, or exact bytes; auto means protein "
         "if MOTIFS is a PROSITE file, otherwise dna if at least 95 % of the first 65,536 letters of the "
         "sequences are A, C, G, T, U or N, and otherwise protein",
         "scan", ""},
    flag{"strand", '\0', "WHICH", "", "both|+|-", "the strands of DNA to search (default: both)", "scan", ""},
    flag{"circular", '\0', "", "", "",
         "treat the DNA records as circular: also find sites that span the origin; the end position of "
         "such a site is greater than the length of the record, as in GFF3",
         "scan", ""},
    flag{"matches", '\0', "RULE", "ps-scan", "ps-scan|starts|ends|count",
         "which matches to report: those that ps_scan.pl reports, one for every start, one for every "
         "end, or only the number of matches of each motif",
         "scan", ""},
    flag{"per-sequence", '\0', "", "", "",
         "with --matches count: count the matches of each motif in each sequence separately; sequences "
         "without a match are left out",
         "scan", ""},
    flag{"no-greedy", 'g', "", "", "", "try the fewest repeats first (ps_scan -g)", "scan", ""},
    flag{"no-overlap", 'v', "", "", "",
         "report only matches that do not overlap: each starts after the end of the match before it "
         "(ps_scan -v; for this verb -v does not mean --verbose); needs --matches ps-scan",
         "scan", ""},
    flag{"included", 'i', "", "", "",
         "also report matches that end no later than the match before them (ps_scan -i); needs --matches "
         "ps-scan",
         "scan", ""},
    flag{"max-x", 'x', "N", "", "",
         "how many X of the sequence may be accepted by letters and sets of the pattern in one match; -1 "
         "means any number (ps_scan -x; default: 0); needs --matches ps-scan",
         "scan", ""},
    flag{"skip-frequent", 's', "", "", "", "skip motifs that are marked as frequent (ps_scan -s)", "scan",
         ""},
    flag{"fail-if-none", '\0', "", "", "", "exit with code 1 if nothing matches", "scan", ""},
    flag{"format", '\0', "NAME", "tsv", "tsv|pff|scan|fasta|gff3|bed|jsonl|html",
         "output format; pff, scan and fasta are formats of ps_scan.pl; html is a page for a browser, "
         "which needs no network",
         "scan", ""},
    flag{"plot", '\0', "FILE", "", "",
         "besides the usual output, draw the domains of the first sequences that have matches: a figure "
         "for a paper (.svg, .pdf) or a page for a browser (.html); may be repeated",
         "scan", "", true, file_role::output},
    flag{"sequence", '\0', "NAME", "", "", "with --plot: draw this sequence; may be repeated", "scan", "",
         true},
    flag{"format", '\0', "NAME", "", "tsv|lcs|ops|paf|unified|jsonl",
         "print the record (tsv) or the path: the common subsequence (lcs; residues as FASTA), the "
         "operations with their lengths (ops), PAF with a cg:Z: tag (paf), a diff that patch can apply "
         "(unified; needs --by line), or JSON (jsonl)",
         "lcs", ""},
    flag{"plot", '\0', "FILE", "", "",
         "besides the usual output, draw the path and the identity along A: a picture (.svg, .png) or a "
         "page that can be zoomed (.html); may be repeated",
         "lcs", "", true, file_role::output},
    flag{"length", '\0', "", "", "",
         "print one number: the length of the LCS, or the distance that "
         "--metric names",
         "lcs", ""},
    flag{"metric", '\0', "NAME", "lcs", "lcs|indel|edit|affine",
         "what the path optimises: the most matches, the fewest insertions and deletions, the fewest "
         "edits (Levenshtein), or the least penalty, where a gap costs --gap-open and --gap-extend for "
         "each of its letters, and a substitution costs --mismatch (affine)",
         "lcs", ""},
    flag{"gap-open", '\0', "N", "6", "", "with --metric affine: the penalty of each gap", "lcs", ""},
    flag{"gap-extend", '\0', "N", "2", "",
         "with --metric affine: the penalty of each letter in a gap, at least 1", "lcs", ""},
    flag{"mismatch", '\0', "N", "4", "", "with --metric affine: the penalty of a substitution, at least 1",
         "lcs", ""},
    flag{"by", '\0', "UNIT", "residue", "line|word|byte|residue", "the unit of comparison", "lcs", ""},
    flag{"ignore-all-space", 'w', "", "", "", "with --by line: ignore all white space within lines (diff -w)",
         "lcs", ""},
    flag{"ignore-case", 'i', "", "", "",
         "with --by line or word: treat upper and lower case as equal "
         "(diff -i)",
         "lcs", ""},
    flag{"context", 'U', "N", "3", "",
         "with --format unified: the number of equal lines around each "
         "change",
         "lcs", ""},
    flag{"fail-if-different", '\0', "", "", "", "exit with code 1 if A and B differ", "lcs", ""},
    flag{"raw", '\0', "", "", "", "read the files as bytes and not as FASTA; the same as --by byte", "lcs",
         ""},
    flag{"a-record", '\0', "NAME", "", "", "compare the record of A with this name", "lcs", ""},
    flag{"b-record", '\0', "NAME", "", "", "compare the record of B with this name", "lcs", ""},
    flag{"join", '\0', "", "", "", "join all records of a file to one sequence, in their order", "lcs", ""},
    flag{"unknown", '\0', "RULE", "mismatch", "mismatch|match|skip",
         "how to treat unknown letters (N and X in DNA, X in proteins): they match no letter, not even "
         "themselves (mismatch), they match any letter (match), or they are left out (skip)",
         "lcs", ""},
    flag{"all-pairs", '\0', "FILE", "", "",
         "instead of comparing A and B, compare all pairs of records of FILE: prints the lower triangle "
         "as TSV, or with --format jsonl one JSON object for each pair",
         "lcs", "", false, file_role::input},
    flag{"json", '\0', "", "", "", "print the record as JSON", "lcs bwt info devices", ""},
    flag{"format", '\0', "NAME", "tsv", "tsv|jsonl",
         "with --stats: print one line for each property, or one JSON object", "bwt", ""},
    flag{"format", '\0', "NAME", "tsv", "tsv|jsonl",
         "print one line for each property, or one JSON object for each file", "info", ""},
    flag{"format", '\0', "NAME", "tsv", "tsv|jsonl", "print lines of columns, or one JSON object", "devices",
         ""},
    flag{"names", '\0', "", "", "", "also list the name and the length of each record of an index", "info",
         ""},
    flag{"engines", '\0', "", "", "", "list the engines of each capability", "devices", ""},
    flag{"key", 'k', "POS[,POS]", "", "",
         "sort by a key that reaches from the first POS to the second POS, or to the end of the line; a "
         "POS is FIELD[.CHAR][bdfghiMnRrV]; with --csv the key is COLUMN[:bdfghiMnRrV]; may be repeated",
         "sort", "", true},
    flag{"field-separator", 't', "CHAR", "", "",
         "the character that separates fields; without this flag, a field starts with the blanks before "
         "it; \\0 means a zero byte",
         "sort", ""},
    flag{"ignore-leading-blanks", 'b', "", "", "", "ignore blanks at the start of keys", "sort", ""},
    flag{"dictionary-order", 'd', "", "", "", "compare only blanks, letters and digits", "sort", ""},
    flag{"ignore-case", 'f', "", "", "", "compare lower-case letters as upper-case letters", "sort", ""},
    flag{"general-numeric-sort", 'g', "", "", "",
         "compare general numbers: with exponents, inf and nan, as strtold() reads them", "sort", ""},
    flag{"human-numeric-sort", 'h', "", "", "", "compare numbers with suffixes, such as 2K or 1.5G", "sort",
         ""},
    flag{"ignore-nonprinting", 'i', "", "", "", "compare only printable characters", "sort", ""},
    flag{"month-sort", 'M', "", "", "",
         "compare names of months, from JAN to DEC; anything else comes "
         "before JAN",
         "sort", ""},
    flag{"numeric-sort", 'n', "", "", "",
         "compare numbers: optional blanks, an optional minus sign, "
         "digits and an optional fraction",
         "sort", ""},
    flag{"random-sort", 'R', "", "", "",
         "shuffle, but keep equal keys together; the order depends on a hash of the keys and is the same "
         "in every run",
         "sort", ""},
    flag{"random-source", '\0', "FILE", "", "", "read the seed of -R from the first 16 bytes of FILE", "sort",
         ""},
    flag{"reverse", 'r', "", "", "", "reverse the order: largest first", "sort", ""},
    flag{"sort", '\0', "WORD", "", "general-numeric|human-numeric|month|numeric|random|version",
         "the same as -g, -h, -M, -n, -R or -V", "sort", ""},
    flag{"version-sort", 'V', "", "", "",
         "compare versions: numbers within names are compared by their "
         "values",
         "sort", ""},
    flag{"unique", 'u', "", "", "", "write only the first of equal lines", "sort", ""},
    flag{"stable", 's', "", "", "", "keep lines with equal keys in their original order", "sort", ""},
    flag{"zero-terminated", 'z', "", "", "", "lines end in a zero byte instead of a newline", "sort", ""},
    flag{"header", '\0', "N", "", "",
         "treat the first N lines of every file as a header, which must be the same in all files; it is "
         "written once, before the sorted lines",
         "sort", ""},
    flag{"csv", '\0', "", "", "",
         "read files of comma-separated values (with -t, of values separated by CHAR): quoted fields may "
         "contain separators and newlines, the first record names the columns (unless --header 0 is "
         "given), and -k takes the name or the number of a column",
         "sort", ""},
    flag{"check", 'c', "[=WHEN]", "", "quiet|silent|diagnose-first",
         "check whether the input is sorted instead of sorting it; if it is not, report the first line "
         "out of order and exit with code 1; quiet and silent do not report the line",
         "sort", ""},
    flag{"check-quiet", 'C', "", "", "", "the same as --check=quiet", "sort", ""},
    flag{"merge", 'm', "", "", "", "merge files that are already sorted", "sort", ""},
    flag{"files0-from", '\0', "FILE", "", "",
         "read the names of the input files from FILE, in which each name ends with a zero byte", "sort", ""},
    flag{"debug", '\0', "", "", "",
         "underline the part of each line that each key compares, and warn on standard error about keys "
         "that may be mistakes",
         "sort", ""},
    flag{"parallel", '\0', "N", "", "", "the same as --threads N, but N may be any number of at least 1",
         "sort", ""},
    flag{"buffer-size", 'S', "SIZE", "", "",
         "memory for sorting: a number of KiB, or a number with the suffix b, K, M, G, T or P, or with % "
         "for a share of the available memory; a long line may use more, up to --memory",
         "sort", ""},
    flag{"temporary-directory", 'T', "DIR", "", "",
         "the directory for temporary files (default: $TMPDIR or /tmp); may be repeated to use several "
         "directories",
         "sort", "", true},
    flag{"batch-size", '\0', "N", "", "", "merge at most N inputs at a time", "sort", ""},
    flag{"compress-program", '\0', "PROGRAM", "", "",
         "compress temporary files with PROGRAM and decompress them with PROGRAM -d", "sort", ""},
    flag{"type", '\0', "TYPE", "", "u8|u16|u32|u64|i8|i16|i32|i64|i128|f32|f64",
         "read FILE as an array of little-endian numbers of this type", "sort", ""},
    flag{"by-key", '\0', "VALUES", "", "",
         "treat the items of FILE as keys, and write the items of the array VALUES in the order of their "
         "keys",
         "sort", "", false, file_role::input},
    flag{"argsort", '\0', "", "", "",
         "write for each item of the sorted array its position in FILE, as "
         "a 64-bit number",
         "sort", ""},
    flag{"form", '\0', "NAME", "sentinel", "sentinel|rotation",
         "what the transform sorts: the suffixes of the text with an end mark (as divbwt does), or the "
         "rotations of the text",
         "bwt unbwt", ""},
    flag{"raw", '\0', "", "", "",
         "write only the transformed bytes to -o FILE, and print the primary index on standard output", "bwt",
         ""},
    flag{"stats", '\0', "", "", "",
         "print the numbers of symbols and runs, and the entropy; the transform is then written only "
         "with -o FILE",
         "bwt", ""},
    flag{"raw", '\0', "", "", "",
         "FILE contains only the transformed bytes, as weft bwt --raw writes "
         "them",
         "unbwt", ""},
    flag{"primary-index", '\0', "N", "", "", "with --raw: the primary index, as printed by weft bwt --raw",
         "unbwt", ""},
    flag{"lcp", '\0', "FILE", "", "", "also write the LCP array to FILE", "sa", "", false, file_role::output},
    flag{"alphabet", '\0', "NAME", "auto", "auto|dna|protein|bytes",
         "what the letters mean; auto means dna if nearly all letters are nucleotides or their IUPAC "
         "codes; in dna, U is the same as T",
         "index", ""},
    flag{"sa-sample-rate", '\0', "N", "0", "",
         "store every Nth position of the suffix array; 0 means 4 below 256 M symbols and 8 from 256 M "
         "symbols on",
         "index", ""},
    flag{"bidirectional", '\0', "", "", "",
         "also store the letters on both sides of each position: weft find --mismatches then finds patterns "
         "of 9 to 32 letters, such as guides and primers, faster; takes some 9 bytes more a letter; only for "
         "DNA",
         "index", ""},
    flag{"pattern", 'e', "PATTERN", "", "",
         "search for this pattern instead of the patterns of a file "
         "PATTERNS; may be repeated",
         "find", "", true},
    flag{"mismatches", '\0', "K", "", "",
         "find every occurrence with at most K letters that differ, 0 to 8 and fewer than the pattern has; "
         "letters other than A, C, G, T and U differ from all letters; tsv, gff3 and jsonl also say the "
         "distance, and with --count there is a column for each distance; only in an index of DNA, on the "
         "CPU",
         "find", ""},
    flag{
        "errors", '\0', "K", "", "",
        "find every occurrence with at most K errors, 0 to 8: letters that differ, are missing or are added; "
        "of occurrences that overlap by more than half of the shorter, the one with the least distance; tsv "
        "and jsonl also have the CIGAR",
        "find", ""},
    flag{"all-ends", '\0', "", "", "",
         "with --errors, list an occurrence for each position where one ends, however much they overlap",
         "find", ""},
    flag{"iupac", '\0', "", "", "",
         "IUPAC letters of patterns match the bases that they stand for; needs --mismatches or --errors",
         "find", ""},
    flag{"exact-prefix", '\0', "N", "", "",
         "the first N letters of a pattern must match; needs --mismatches or --errors", "find", ""},
    flag{"exact-suffix", '\0', "N", "", "",
         "the last N letters of a pattern must match, such as the GG of a guide and its PAM; needs "
         "--mismatches or --errors",
         "find", ""},
    flag{"best", '\0', "", "", "",
         "list only the occurrences with the least distance of each pattern; needs --mismatches or --errors",
         "find", ""},
    flag{"count", '\0', "", "", "", "print only the number of occurrences of each pattern", "find", ""},
    flag{"format", '\0', "NAME", "tsv", "tsv|bed|sam|paf|gff3|jsonl",
         "output format; sam and paf have one row for each occurrence", "find", ""},
    flag{"bed", '\0', "", "", "", "the same as --format bed", "find", ""},
    flag{"circular", '\0', "", "", "",
         "treat the records as circular DNA: also find occurrences that span the origin, with --mismatches "
         "and --errors too, but none that is longer than the record; the end position of such an occurrence "
         "is greater than the length of the record, but in bed, sam and paf it has one row for each of its "
         "parts",
         "find", ""},
    flag{"split-index", '\0', "", "", "",
         "INDEX is a FASTA or FASTQ file of references: with mpirun or --gpus, each rank builds the index of "
         "its share of the records in memory, for references whose index is too large for one host; a rank "
         "holds this index, the names of all records, and the patterns and occurrences that it writes; the "
         "output is the same as that of weft index and weft find",
         "find", ""},
    flag{"strict", '\0', "", "", "", "treat a pattern that can never match as an error", "find", ""},
    flag{"both-strands", '\0', "", "", "",
         "also find the reverse complements of the patterns; a palindrome is reported on both strands",
         "find", ""},
    flag{"max-hits", '\0', "N", "", "",
         "report at most N occurrences of each pattern: those whose suffixes come first in alphabetical "
         "order, "
         "with --mismatches or --errors the first ones by distance, record and position; the others are only "
         "counted; a pattern that has more is marked: by a line "
         "'pattern * written all *' in tsv, by a comment in bed and gff3, by a record in jsonl, and by "
         "NH in sam and paf",
         "find", ""},
    flag{"fail-if-none", '\0', "", "", "", "exit with code 1 if nothing is found", "find mem", ""},
    flag{"plot", '\0', "FILE", "", "",
         "besides the usual output, draw the matches as the dot plot of two genomes: a picture (.svg, .png) "
         "or "
         "a page that can be zoomed (.html); may be repeated",
         "mem", "", true, file_role::output},
    flag{"plot", '\0', "FILE", "", "",
         "besides the usual output, draw the blocks as a dot plot, in a colour for each kind: a picture "
         "(.svg, "
         ".png) or a page that can be zoomed (.html); may be repeated",
         "variants", "", true, file_role::output},
    flag{"min-length", 'l', "N", "20", "", "report only matches of at least N letters", "mem", ""},
    flag{"kind", '\0', "NAME", "mem", "mem|mum|mum-ref|smem",
         "which matches to report: all maximal ones, those whose letters occur once in query and "
         "references, those whose letters occur once in the references, or super-maximal ones",
         "mem", ""},
    flag{"min-occ", '\0', "N", "1", "",
         "with --kind smem: the number of times that a stretch must occur in the references", "mem", ""},
    flag{"both-strands", '\0', "", "", "", "also search the reverse complements of the queries", "mem", ""},
    flag{"format", '\0', "NAME", "tsv", "tsv|paf|jsonl",
         "output format: lines of columns, PAF with one row for each match, or one JSON object a match",
         "mem", ""},
    flag{"format", '\0', "NAME", "vcf", "vcf|tsv|paf",
         "output format: VCF 4.3 with one sample, lines of columns with one line for each variant, or PAF "
         "with "
         "one row for each block",
         "variants", ""},
    flag{"min-match", '\0', "N", "15", "",
         "the letters of an exact match that can begin an alignment, 8 to 31", "variants", ""},
    flag{"min-block", '\0', "N", "100", "",
         "report inverted, moved and duplicated blocks of at least N letters", "variants", ""},
    flag{"gap-open", '\0', "N", "6", "", "the penalty of each gap", "variants", ""},
    flag{"gap-extend", '\0', "N", "2", "", "the penalty of each letter in a gap, at least 1", "variants", ""},
    flag{"mismatch", '\0', "N", "4", "", "the penalty of a substitution, at least 1", "variants", ""},
    flag{"sample", '\0', "NAME", "", "",
         "with --format vcf: the name of the sample (default: the name of the file B without extensions)",
         "variants", ""},
    flag{"no-decompress", '\0', "", "", "",
         "do not decompress FILE, even if it begins like a compressed file", "sort bwt unbwt sa", ""},
    flag{"output", 'o', "FILE", "-", "", "write to FILE, which appears only when it is complete", reports, "",
         false, file_role::output},
    flag{"device", '\0', "NAME", "auto", "",
         "where to run: auto, cpu, gpu or gpu:N; it is an error if there is no such GPU", work,
         "WEFT_DEVICE"},
    flag{"gpus", '\0', "N", "", "",
         "share the work among N GPUs of this machine, or all; with mpirun, the ranks of each host take them "
         "in turn",
         "scan lcs sort find", ""},
    flag{"engine", '\0', "NAME", "auto", "", "use this engine (weft devices --engines lists them)", work, ""},
    flag{"threads", 't', "N", "0", "", "number of threads, at most 1024; 0 means one for each processor",
         threads_letter, "WEFT_THREADS"},
    flag{"threads", '\0', "N", "0", "", "number of threads, at most 1024; 0 means one for each processor",
         "sort", "WEFT_THREADS"},
    flag{"memory", '\0', "SIZE", "", "",
         "limit on the host memory for tables and chunks, such as 4G (default: 80 % of the free memory)",
         reports, ""},
    flag{"device-memory", '\0', "SIZE", "", "",
         "limit on the memory of the GPU, such as 4G (default: the free memory)", work, ""},
    flag{"progress", '\0', "WHEN", "auto", "auto|always|never",
         "show progress on standard error; auto means on a terminal, after two seconds", reports, ""},
    flag{"verbose", '\0', "", "", "",
         "at the end, report time, throughput, engine, device and peak memory in one line on standard "
         "error",
         "scan", ""},
    flag{"verbose", 'v', "", "", "",
         "at the end, report time, throughput, engine, device and peak memory in one line on standard "
         "error",
         verbose_letter, ""},
    flag{"quiet", 'q', "", "", "", "print no warnings and no progress", reports, ""},
    flag{"help", 'h', "", "", "", "print this help", "!sort", ""},
    flag{"help", '\0', "", "", "", "print this help (-h sorts by numbers with suffixes)", "sort", ""},
    flag{"version", '\0', "", "", "", "print the version", "sort", ""},
};

} // namespace

std::span<const flag> flags() { return flag_table; }

} // namespace weft::cli
