import { type Landlock, type PathRule, rightsOf } from "./landlock.js";
import { filterBesideLandlock } from "./syscall-filter.js";
import { declareCalls, isKnown } from "./system-calls.js";

/** The rules as the program reads them: rights on a folder and on a file, and the path. */
export function ruleTable(rules: readonly PathRule[], landlock: Landlock): string {
    return rules.map((rule) => [...rightsOf(rule, landlock), rule.path].join(" ") + "\0").join("");
}

/**
 * Three processes: the first, which North starts, ends whatever is left when the second is gone, or
 * when North is; the second reports like the supervisor in namespaces, on descriptor 3, and ends what
 * the command left; the third restricts itself, says so, waits for North's word on 4, and becomes the
 * command, whose output are 5 and 6.
 */
const PROGRAM = String.raw`
($table, $bash, $script) = @ARGV;
# PR_SET_CHILD_SUBREAPER
sub reaper { syscall($prctl, 36, 1, 0, 0, 0) }
sub failed { syswrite(REPORTS, "\0failed\0$_[0]\0"); exit 1 }
# All that descend from this process, until there are none. Orphans become children of a reaper, so
# without children, as after most commands, it need not look through all processes.
sub sweep {
    while (1) {
        1 while waitpid(-1, 1) > 0;
        return if waitpid(-1, 1) == -1;
        my (%parent, %mine, @found);
        opendir(my $all, "/proc") or last;
        for my $pid (grep /^\d+$/, readdir $all) {
            open(my $stat, "<", "/proc/$pid/stat") or next;
            local $/; $parent{$pid} = $1 if <$stat> =~ /.*\) \S (\d+)/s;
        }
        $mine{$$} = 1;
        do { @found = grep { !$mine{$_} && $mine{$parent{$_}} } keys %parent; @mine{@found} = (1) x @found } while @found;
        delete $mine{$$};
        kill 9, keys %mine;
        select(undef, undef, undef, 0.002);
    }
}
$SIG{TERM} = sub { sweep(); exit 1 };
# PR_SET_PDEATHSIG
syscall($prctl, 1, 15, 0, 0, 0);
reaper();
defined($second = fork) or die "fork: $!\n";
if ($second) { waitpid($second, 0); sweep(); exit 0 }

$SIG{TERM} = "DEFAULT";
reaper();
open(REPORTS, ">&=3"); open(ORDERS, "<&=4");
defined($third = fork) or failed("fork: $!");
if ($third) {
    syscall($close, $_) for 5, 6;
    waitpid($third, 0);
    $code = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    sweep();
    syswrite(REPORTS, "\0exited\0$code\0\0\0");
    exit 0;
}

syscall($setsid);
# The kernel ends it before anything else when memory is short.
if (open(my $score, ">", "/proc/self/oom_score_adj")) { syswrite($score, 1000) }
# PR_SET_NO_NEW_PRIVS
syscall($prctl, 38, 1, 0, 0, 0) == 0 or failed("no new privileges: $!");
$attributes = pack("QQQ", @rights);
$rules = syscall(444, $attributes, $size, 0);
failed("Landlock: $!") if $rules < 0;
{
    open(my $all, "<", $table) or failed("rules: $!");
    local $/ = "\0";
    while (<$all>) {
        chomp;
        my ($folder, $file, $place) = /^(\d+) (\d+) (.*)$/s or failed("rules");
        my $descriptor = syscall($openat, -100, $place, $no_follow, 0);
        next if $descriptor < 0;
        open(my $handle, "<&=$descriptor");
        my $given = pack("Q l", -d $handle ? $folder : $file, $descriptor);
        syscall(445, $rules, 1, $given, 0) == 0 or failed("$place: $!");
        close $handle;
        syscall($close, $descriptor);
    }
}
open(STDIN, "<", "/dev/null"); open(STDOUT, ">&5"); open(STDERR, ">&6");
syscall(446, $rules, 0) == 0 or failed("Landlock: $!");
syscall($close, $rules);
eval { filter(); 1 } or failed($@);
syswrite(REPORTS, "\0ready\0\0");
$go = ""; do { sysread(ORDERS, $byte, 1) or exit 1; $go .= $byte } until $byte eq "\0";
opendir(my $open, "/proc/self/fd"); syscall($close, $_ + 0) for grep { /^\d+$/ && $_ > 2 } readdir $open;
exec { $bash } $bash, "--noprofile", "--norc", $script;
`;

/**
 * Perl that runs a command read-only: of all that is usually installed only Perl can make any system
 * call. Arguments: the file with the rules, bash, the script. `undefined` on other machines.
 */
export function landlockProgram(
    { version, files, ports, scopes }: Landlock,
    architecture = process.arch
): string | undefined {
    if (!isKnown(architecture)) return undefined;
    const unrestricted = { truncate: version < 3, signals: scopes === 0 };
    const filter = filterBesideLandlock(unrestricted, architecture);
    // O_PATH | O_NOFOLLOW | O_CLOEXEC
    const noFollow = 0x200000 | (architecture === "x64" ? 0x20000 : 0x8000) | 0x80000;
    return `
${declareCalls(architecture)}
($no_follow, $size) = (${noFollow}, ${attributesSize(version)});
@rights = (${files}, ${ports}, ${scopes});
sub filter { ${filter} }
${PROGRAM}`;
}

/** A version of the interface refuses a longer structure than it knows. */
function attributesSize(version: number): number {
    if (version >= 6) return 24;
    return version >= 4 ? 16 : 8;
}
