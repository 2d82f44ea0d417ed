// The table of the flags of all verbs, from which the parser, the help, the man page and the completions are
// derived.
#include <cli/flags.hpp>

#include <array>

namespace weft::cli {

namespace {

constexpr std::string_view work = "scan lcs sort bwt unbwt sa index find";
// The verbs of `work` with -t for --threads, and those of `reports` with -v for --verbose.
constexpr std::string_view threads_letter = "scan lcs bwt unbwt sa index find";
constexpr std::string_view verbose_letter = "lcs sort bwt unbwt sa index find info";
// The verbs that read whole files and report their progress.
constexpr std::string_view reports = "scan lcs sort bwt unbwt sa index find info";

constexpr std::array flag_table = {
    flag{"pattern", 'e', "PATTERN", "", "",
         "a pattern, in place of the file MOTIFS; may be repeated; called USER001, USER002, ... as by "
         "ps_scan -p",
         "scan", "", true},
    flag{"motif", '\0', "ACCESSION", "", "",
         "look for this motif of MOTIFS alone, by its accession or name; may be repeated", "scan", "", true},
    flag{"alphabet", '\0', "NAME", "auto", "auto|protein|dna|bytes",
         "what letters mean: amino acids, IUPAC nucleotide codes, or exact bytes; auto: protein if MOTIFS is "
         "a "
         "PROSITE file, else dna if at least 95 % of the first 65,536 letters of the sequences are A, C, G, "
         "T, "
         "U or N, else protein",
         "scan", ""},
    flag{"strand", '\0', "WHICH", "", "both|+|-", "strands of DNA to search (default: both)", "scan", ""},
    flag{"circular", '\0', "", "", "",
         "records of DNA are circles: find sites over the origin as well, whose end is behind the record's "
         "length, as in GFF3",
         "scan", ""},
    flag{"matches", '\0', "RULE", "ps-scan", "ps-scan|starts|ends|count",
         "what is a match: as ps_scan.pl reports, every start, every end, or only the count of each motif",
         "scan", ""},
    flag{"per-sequence", '\0', "", "", "",
         "with --matches count: count the matches of each motif in each sequence that has some", "scan", ""},
    flag{"no-greedy", 'g', "", "", "", "try few repeats first (ps_scan -g)", "scan", ""},
    flag{"no-overlap", 'v', "", "", "",
         "the next match starts after the end of this one (ps_scan -v; in scan, -v is not --verbose); with "
         "--matches ps-scan",
         "scan", ""},
    flag{"included", 'i', "", "", "",
         "also matches that end no later than the one before (ps_scan -i); with --matches ps-scan", "scan",
         ""},
    flag{"max-x", 'x', "N", "", "",
         "X of the text that letters and sets may accept in a match; -1: any number (ps_scan -x; default: "
         "0); with --matches ps-scan",
         "scan", ""},
    flag{"skip-frequent", 's', "", "", "", "leave out motifs marked as frequent (ps_scan -s)", "scan", ""},
    flag{"fail-if-none", '\0', "", "", "", "exit with 1 if nothing matches", "scan", ""},
    flag{"format", '\0', "NAME", "tsv", "tsv|pff|scan|fasta|gff3|bed|jsonl|html",
         "output format; pff, scan and fasta are ps_scan.pl's, html is a page for the browser that needs no "
         "network",
         "scan", ""},
    flag{"plot", '\0', "FILE", "", "",
         "draw the domains of the first sequences with matches, beside the output: a figure for a paper "
         "(.svg, .pdf) or "
         "a page (.html); may be repeated",
         "scan", "", true, file_role::output},
    flag{"sequence", '\0', "NAME", "", "", "draw this sequence, with --plot; may be repeated", "scan", "",
         true},
    flag{"format", '\0', "NAME", "", "tsv|lcs|ops|paf|unified|jsonl",
         "print the record (tsv) or the path: the subsequence (residues as FASTA), run-length operations, "
         "PAF with cg:Z:, a diff "
         "that patch applies (--by line), or JSON",
         "lcs", ""},
    flag{"plot", '\0', "FILE", "", "",
         "draw the path and its identity along A: a picture (.svg, .png) or a page to zoom (.html); may be "
         "repeated",
         "lcs", "", true, file_role::output},
    flag{"length", '\0', "", "", "", "print one number: the LCS length, or the distance that --metric names",
         "lcs", ""},
    flag{"metric", '\0', "NAME", "lcs", "lcs|indel|edit",
         "what is optimal: most matches, fewest insertions and deletions, or fewest edits (Levenshtein)",
         "lcs", ""},
    flag{"by", '\0', "UNIT", "residue", "line|word|byte|residue", "what a symbol is", "lcs", ""},
    flag{"ignore-all-space", 'w', "", "", "",
         "with --by line: white space in a line counts for nothing (diff -w)", "lcs", ""},
    flag{"ignore-case", 'i', "", "", "", "with --by line or word: upper and lower case are equal (diff -i)",
         "lcs", ""},
    flag{"context", 'U', "N", "3", "", "equal lines around each change, with --format unified", "lcs", ""},
    flag{"fail-if-different", '\0', "", "", "", "exit with 1 if A and B differ", "lcs", ""},
    flag{"raw", '\0', "", "", "", "the files are bytes, not FASTA: the same as --by byte", "lcs", ""},
    flag{"a-record", '\0', "NAME", "", "", "the record of A to compare", "lcs", ""},
    flag{"b-record", '\0', "NAME", "", "", "the record of B to compare", "lcs", ""},
    flag{"join", '\0', "", "", "", "make one sequence of all records of a file, in order", "lcs", ""},
    flag{"unknown", '\0', "RULE", "mismatch", "mismatch|match|skip",
         "what N and X in DNA, and X in proteins, mean: they equal no letter, not even themselves; any "
         "letter; or they are left out",
         "lcs", ""},
    flag{"all-pairs", '\0', "FILE", "", "",
         "instead of A and B: the lower triangle over all pairs of records of FILE, as TSV, or with --format "
         "jsonl an object a pair",
         "lcs", "", false, file_role::input},
    flag{"json", '\0', "", "", "", "print the record as JSON", "lcs bwt info devices", ""},
    flag{"format", '\0', "NAME", "tsv", "tsv|jsonl",
         "with --stats: a line for each property, or one JSON object", "bwt", ""},
    flag{"format", '\0', "NAME", "tsv", "tsv|jsonl",
         "a line for each property, or a JSON object for each file", "info", ""},
    flag{"format", '\0', "NAME", "tsv", "tsv|jsonl", "lines of columns, or one JSON object", "devices", ""},
    flag{"names", '\0', "", "", "", "list the name and the length of each record of an index", "info", ""},
    flag{"engines", '\0', "", "", "", "list the engines of each capability", "devices", ""},
    flag{"key", 'k', "POS[,POS]", "", "",
         "sort by a key: FIELD[.CHAR][bdfghiMnRrV], from the first POS to the second or the line's end, or "
         "with "
         "--csv COLUMN[:bdfghiMnRrV]; may be repeated",
         "sort", "", true},
    flag{"field-separator", 't', "CHAR", "", "",
         "what separates fields, instead of blanks before them; \\0 is a zero byte", "sort", ""},
    flag{"ignore-leading-blanks", 'b', "", "", "", "skip blanks before keys", "sort", ""},
    flag{"dictionary-order", 'd', "", "", "", "compare blanks, letters and digits only", "sort", ""},
    flag{"ignore-case", 'f', "", "", "", "lower-case letters compare as upper-case", "sort", ""},
    flag{"general-numeric-sort", 'g', "", "", "",
         "compare numbers with exponents, inf and nan, as strtold() reads them", "sort", ""},
    flag{"human-numeric-sort", 'h', "", "", "", "compare numbers with suffixes, such as 2K or 1.5G", "sort",
         ""},
    flag{"ignore-nonprinting", 'i', "", "", "", "compare printable characters only", "sort", ""},
    flag{"month-sort", 'M', "", "", "", "compare months: JAN to DEC, and before them all else", "sort", ""},
    flag{"numeric-sort", 'n', "", "", "", "compare numbers: blanks, -, digits, a fraction", "sort", ""},
    flag{"random-sort", 'R', "", "", "",
         "shuffle, but keep equal keys together: the order follows a hash of the keys, and is the same in "
         "every "
         "run",
         "sort", ""},
    flag{"random-source", '\0', "FILE", "", "", "take the seed of -R from the first 16 bytes of FILE", "sort",
         ""},
    flag{"reverse", 'r', "", "", "", "largest first", "sort", ""},
    flag{"sort", '\0', "WORD", "", "general-numeric|human-numeric|month|numeric|random|version",
         "the same as -g, -h, -M, -n, -R or -V", "sort", ""},
    flag{"version-sort", 'V', "", "", "", "compare versions: numbers within names by their values", "sort",
         ""},
    flag{"unique", 'u', "", "", "", "only the first of equal lines", "sort", ""},
    flag{"stable", 's', "", "", "", "leave lines of equal keys in their order", "sort", ""},
    flag{"zero-terminated", 'z', "", "", "", "lines end in a zero byte instead of a newline", "sort", ""},
    flag{"header", '\0', "N", "", "",
         "the first N lines of every file are a header, which must be the same in all files: it is written "
         "once, "
         "and not sorted",
         "sort", ""},
    flag{"csv", '\0', "", "", "",
         "files are comma-separated values (or CHAR-separated, with -t): quoted fields may hold separators "
         "and "
         "newlines, the first record names the columns (--header 0: it does not), and -k takes a column's "
         "name "
         "or number",
         "sort", ""},
    flag{"check", 'c', "[=WHEN]", "", "quiet|silent|diagnose-first",
         "only tell whether the input is sorted: exit 1 and the first bad line if not; quiet, silent: "
         "without a "
         "word",
         "sort", ""},
    flag{"check-quiet", 'C', "", "", "", "the same as --check=quiet", "sort", ""},
    flag{"merge", 'm', "", "", "", "merge files that are sorted already", "sort", ""},
    flag{"files0-from", '\0', "FILE", "", "",
         "read the names of the files from FILE: each ends in a zero byte", "sort", ""},
    flag{"debug", '\0', "", "", "",
         "underline the part of each line that each key compares, and warn on standard error of keys that "
         "may be "
         "mistaken",
         "sort", ""},
    flag{"parallel", '\0', "N", "", "", "the same as --threads N, but N may be any number from 1", "sort",
         ""},
    flag{"buffer-size", 'S', "SIZE", "", "",
         "memory for sorting: a number of KiB, or with b, K, M, G, T, P, or % of what there is; more where a "
         "line "
         "needs it, up to --memory",
         "sort", ""},
    flag{"temporary-directory", 'T', "DIR", "", "",
         "where temporary files go (default: $TMPDIR or /tmp); may be repeated, and all are used", "sort", "",
         true},
    flag{"batch-size", '\0', "N", "", "", "merge N runs or files at a time at most", "sort", ""},
    flag{"compress-program", '\0', "PROGRAM", "", "",
         "compress temporary files with PROGRAM, and decompress them with PROGRAM -d", "sort", ""},
    flag{"type", '\0', "TYPE", "", "u8|u16|u32|u64|i8|i16|i32|i64|i128|f32|f64",
         "FILE is an array of such numbers, little-endian", "sort", ""},
    flag{"by-key", '\0', "VALUES", "", "",
         "FILE holds keys: write the items of the array VALUES in the order of their keys", "sort", "", false,
         file_role::input},
    flag{"argsort", '\0', "", "", "", "write where each item of the sorted array stood, as 64-bit numbers",
         "sort", ""},
    flag{"form", '\0', "NAME", "sentinel", "sentinel|rotation",
         "of the suffixes before an end mark (as divbwt), or of the rotations", "bwt unbwt", ""},
    flag{"raw", '\0', "", "", "",
         "write the transformed bytes alone, and the primary index to standard output", "bwt", ""},
    flag{"stats", '\0', "", "", "",
         "print symbols, runs and entropy; the transform itself is then written only with -o FILE", "bwt",
         ""},
    flag{"raw", '\0', "", "", "", "FILE is transformed bytes alone", "unbwt", ""},
    flag{"primary-index", '\0', "N", "", "", "what weft bwt --raw printed", "unbwt", ""},
    flag{"lcp", '\0', "FILE", "", "", "write the LCP array as well", "sa", "", false, file_role::output},
    flag{"alphabet", '\0', "NAME", "auto", "auto|dna|protein|bytes",
         "what letters mean; auto: dna if nearly all letters are nucleotides or IUPAC codes of them; in dna "
         "U is T",
         "index", ""},
    flag{"sa-sample-rate", '\0', "N", "0", "",
         "keep every Nth position of the suffix array; 0: 4 below 256 M symbols, 8 from there on", "index",
         ""},
    flag{"pattern", 'e', "PATTERN", "", "", "a pattern, in place of PATTERNS; may be repeated", "find", "",
         true},
    flag{"count", '\0', "", "", "", "only count the occurrences of each pattern", "find", ""},
    flag{"format", '\0', "NAME", "tsv", "tsv|bed|sam|paf|gff3|jsonl",
         "output format; sam and paf have a row for each exact alignment", "find", ""},
    flag{"bed", '\0', "", "", "", "the same as --format bed", "find", ""},
    flag{"circular", '\0', "", "", "",
         "the records are circular DNA: find occurrences over their origins as well, with an end behind the "
         "record's; in bed, sam and paf such an occurrence has a row for each part",
         "find", ""},
    flag{"strict", '\0', "", "", "", "a pattern that can never match is an error", "find", ""},
    flag{"both-strands", '\0', "", "", "",
         "find the reverse complements as well; a palindrome is reported on + and on -", "find", ""},
    flag{"max-hits", '\0', "N", "", "",
         "at most so many occurrences of each pattern; one that has more is marked: by a line pattern * "
         "written "
         "all * in tsv, by a comment in bed and gff3, by a record in jsonl, by NH in sam and paf",
         "find", ""},
    flag{"fail-if-none", '\0', "", "", "", "exit with 1 if nothing is found", "find", ""},
    flag{"no-decompress", '\0', "", "", "",
         "take the bytes of FILE as they are, also where they begin like compressed ones",
         "sort bwt unbwt sa", ""},
    flag{"output", 'o', "FILE", "-", "", "write to FILE, which appears whole or not at all", reports, "",
         false, file_role::output},
    flag{"device", '\0', "NAME", "auto", "", "auto, cpu, gpu or gpu:N; gpu without one is an error", work,
         "WEFT_DEVICE"},
    flag{"engine", '\0', "NAME", "auto", "", "force an engine (see weft devices --engines)", work, ""},
    flag{"threads", 't', "N", "0", "", "threads, 1024 at most; 0: all processors", threads_letter,
         "WEFT_THREADS"},
    flag{"threads", '\0', "N", "0", "", "threads, 1024 at most; 0: all processors", "sort", "WEFT_THREADS"},
    flag{"memory", '\0', "SIZE", "", "",
         "host memory to use at most for tables and chunks, such as 4G (default: 80 % of what is free)",
         reports, ""},
    flag{"device-memory", '\0', "SIZE", "", "",
         "memory of the GPU to use at most, such as 4G (default: what is free)", work, ""},
    flag{"progress", '\0', "WHEN", "auto", "auto|always|never",
         "progress on standard error; auto: on a terminal, after two seconds", reports, ""},
    flag{"verbose", '\0', "", "", "",
         "end with a line on standard error: time, throughput, engine, device, peak memory", "scan", ""},
    flag{"verbose", 'v', "", "", "",
         "end with a line on standard error: time, throughput, engine, device, peak memory", verbose_letter,
         ""},
    flag{"quiet", 'q', "", "", "", "no warnings and no progress", reports, ""},
    flag{"help", 'h', "", "", "", "print this help", "!sort", ""},
    flag{"help", '\0', "", "", "", "print this help (-h sorts by numbers with suffixes)", "sort", ""},
    flag{"version", '\0', "", "", "", "print the version", "sort", ""},
};

} // namespace

std::span<const flag> flags() { return flag_table; }

} // namespace weft::cli
