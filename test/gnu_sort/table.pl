#!/usr/bin/env perl
# table.pl TABLE PROGRAM: runs the cases of GNU sort's own table (tests/misc/sort.pl or tests/sort/sort.pl of coreutils) against
# PROGRAM, which is called by the name sort. Prints what fails, and ends with "N of M cases pass"; exit code 0 if all pass.
#
# A case is [NAME, ARGUMENT or {KEY => VALUE}...]: arguments and IN files make the command; OUT, ERR and EXIT are what is
# expected (by default nothing, and 0), OUT_SUBST and ERR_SUBST change each line of what is found, CMP compares a file.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Temp 'tempdir';

my ($table, $program) = @ARGV;
die "usage: table.pl TABLE PROGRAM\n" unless defined $program;
my $prog = 'sort'; # expressions of the table use this name

my $folder = tempdir(CLEANUP => 1);
mkdir "$folder/bin" or die;
symlink abs_path($program), "$folder/bin/sort" or die;
$ENV{PATH} = "$folder/bin:$ENV{PATH}";
$ENV{LC_ALL} = $ENV{LANG} = $ENV{LANGUAGE} = 'C';
delete $ENV{POSIXLY_CORRECT};

my @cases = read_cases(read_file($table));
die "no cases in $table\n" unless @cases;
my $passed = 0;
for my $case (@cases) {
  my ($name, @parts) = @$case;
  my $fault = run_case($name, @parts);
  $fault eq '' ? ++$passed : print "FAILED: $name: $fault\n";
}
printf "%d of %d cases pass\n", $passed, scalar @cases;
chdir "/";
exit($passed == @cases ? 0 : 1);

# The table is Perl: from its helper variables to the end of @Tests.
sub read_cases {
  my ($text) = @_;
  my ($definitions) = $text =~ /(my \$normalize_filename.*?)my \@Tests =/s or die "no table in $table\n";
  my ($list) = $text =~ /my \@Tests =\s*(\(.*?^\);)/ms or die "no table in $table\n";
  my $limits = {UINTMAX_OFLOW => '18446744073709551616', SIZE_OFLOW => '18446744073709551616'};
  my $mb_locale = 'C';
  my @tests;
  eval "$definitions \@tests = $list 1" or die "the table cannot be read: $@";
  return @tests;
}

# Runs one case; returns what is wrong, or nothing.
sub run_case {
  my ($name, @parts) = @_;
  my $work = tempdir(DIR => $folder, CLEANUP => 1);
  chdir $work or die;
  my (@arguments, %expected, %changed, @compared);
  my $environment = '';
  for my $part (@parts) {
    if (!ref $part) {
      $environment = '_POSIX2_VERSION=199209' if $part =~ /\+\d/;
      push @arguments, $part;
      next;
    }
    my ($key, $value) = %$part;
    if ($key eq 'IN') {
      my ($file, $bytes) = ref $value ? %$value : ("$name.in", $value);
      write_file($file, $bytes);
      push @arguments, $file;
    } elsif ($key eq 'CMP') {
      @compared = ($value->[0], keys %{$value->[1]});
    } elsif ($key eq 'ENV') {
      $environment = $value;
    } elsif ($key =~ /^(OUT|ERR)_SUBST$/) {
      $changed{$1} = $value;
    } else {
      $expected{$key} = $value;
    }
  }
  system("$environment sort @arguments >out. 2>err.");
  my $code = $? >> 8;
  return "exit code $code: " . read_file('err.') if $code != ($expected{EXIT} // 0);
  for my $stream ('OUT', 'ERR') {
    my $found = read_file(lc($stream) . '.');
    $found = join '', map { substituted($_, $changed{$stream}) } split /(?<=\n)/, $found if $changed{$stream};
    return "$stream is '$found'" if $found ne ($expected{$stream} // '');
  }
  return '' if !@compared || read_file($compared[1]) eq $compared[0];
  return "$compared[1] is '" . read_file($compared[1]) . "'";
}

sub substituted {
  my ($line, $expression) = @_;
  local $_ = $line;
  eval "$expression; 1" or die "bad expression: $expression";
  return $_;
}

sub read_file {
  my ($path) = @_;
  open my $file, '<:raw', $path or die "$path: $!\n";
  local $/;
  my $text = <$file>;
  return $text // '';
}

sub write_file {
  my ($path, $bytes) = @_;
  open my $file, '>:raw', $path or die "$path: $!\n";
  print $file $bytes;
}
