import { findProgram } from "../../../base/search-path.js";
import { SYSTEM_PATH } from "../containment.js";
import { filterInNamespaces } from "./syscall-filter.js";
import { declareCalls, isKnown } from "./system-calls.js";

/** Where stand-ins for the machine's services lead. */
export const NO_SERVICE = "/nowhere/hidden";

/**
 * The supervisor: PID 1 of a contained run, started in the base folder. It has all capabilities in
 * its own user namespace, assembles a root from nothing but what the command sees, lets go of the
 * machine's own, and starts the command without the capabilities, behind a filter. It does not get
 * the command's environment: a variable such as LD_PRELOAD must not take effect before containment
 * is in place.
 *
 * It reports to North on descriptor 3 and reads from it on 4; the command inherits neither, only 5
 * and 6 as its output. The command cannot attack the supervisor either: it lacks the right to trace
 * it, and PID 1 ignores its signals.
 *
 * Arguments: run folder, outside user and group, bash, max KiB per file, max processes, max KiB per
 * process, the highest PID or nothing.
 */
const PROGRAM = String.raw`
($run, $user, $group, $bash, $blocks, $processes, $memory, $highest) = @ARGV;
open(REPORTS, ">&=3"); open(ORDERS, "<&=4");
open(STDOUT, ">&3"); open(STDERR, ">&3");
select REPORTS; $| = 1;
$SIG{__DIE__} = sub { chomp(my $reason = $_[0]); print "\0failed\0$reason\0"; exit 1 };
sub put { open(my $file, ">", $_[0]) or return; return syswrite($file, $_[1]) }
sub text { open(my $file, "<", $_[0]) or return ""; local $/; <$file> }
# RDONLY, NOSUID, NODEV and NOEXEC, which mount and mount_setattr number alike.
%flags = (ro => 1, nosuid => 2, nodev => 4, noexec => 8, bind => 4096);
sub restrict {
    my ($place, $attributes) = ($_[0], pack("Q4", $_[1], 0, 0, 0));
    return syscall($mount_setattr, -100, $place, 0, $attributes, 32) == 0;
}
sub attach {
    my ($source, $target, $type, $options) = @_;
    my ($flags, @data) = 0;
    for (split /,/, $options) {
        if ($_ eq "X-mount.mkdir") { my $folder = ""; mkdir $folder .= "$_/", 0755 for split m{/}, $target }
        elsif ($flags{$_}) { $flags |= $flags{$_} }
        else { push @data, $_ }
    }
    my ($data, $rest) = (join(",", @data), $flags & 15);
    syscall($mount, $source, $target, $type, $flags, $data) == 0 or return;
    return !($flags & 4096 && $rest) || restrict($target, $rest);
}
sub links {
    my ($folder) = @_;
    opendir(my $open, $folder) or return;
    return map { -l "$folder/$_" ? "$folder/$_" : links("$folder/$_") } grep { !/^\.\.?$/ } readdir $open;
}
sub limit {
    my ($resource, $most) = @_;
    syscall($prlimit64, 0, $resource, 0, my $now = pack("Q2")) == 0 or die "limits: $!\n";
    # What the machine allows may be less.
    ($most) = sort { $a <=> $b } $most, (unpack("Q2", $now))[1];
    syscall($prlimit64, 0, $resource, pack("Q2", $most, $most), 0) == 0 or die "limits: $!\n";
}

opendir(my $open, "/proc/self/fd"); my @open = readdir $open; closedir $open;
# Whatever North's own parent left open for it.
syscall($close, $_ + 0) for grep { /^\d+$/ && $_ > 6 } @open;
put("/proc/self/oom_score_adj", 1000);
# A namespace of its own would give the command rights over mounts there.
put("/proc/sys/user/max_user_namespaces", $user == 0 ? 0 : 1) or die "user namespaces cannot be limited: $!\n";
# Segments that nobody has attached count for no process.
put("/proc/sys/kernel/shmall", int($memory / 4));
# SIOCSIFFLAGS: IFF_UP, IFF_RUNNING
socket(my $socket, 2, 2, 0);
my $up = pack("Z16 s x22", "lo", 0x41);
ioctl($socket, 0x8914, $up);
close $socket;

open(my $table, "<", "$run/fstab") or die "what it may see could not be read: $!\n";
while (<$table>) {
    my @fields = map { s/\\(\d{3})/chr oct $1/ger } split / /;
    attach(@fields) or die "what it may see could not be mounted: $fields[2] on $fields[1]: $!\n";
}
close $table;
$services = -d "$run/services";
system("cp", "--archive", "$run/services/.", "new/run") if $services;
$here = ".";
chdir "new" and syscall($pivot_root, $here, $here) == 0 and syscall($umount2, $here, 2) == 0 and chdir "/"
    or die "the old root could not be left: $!\n";
# Before the command can make any.
@services = links("/run") if $services;
# Binds root too, which the limit on processes does not.
put("/proc/sys/kernel/pid_max", $highest) if $highest;

print "\0ready\0", text("/proc/self/mountinfo"), "\0";
$/ = "\0";
defined(<ORDERS>) or exit 1;
pipe(MAPPED, IS_MAPPED); pipe(SEALED, IS_SEALED);
defined($child = fork) or die "fork: $!\n";
if (!$child) {
    close MAPPED; close IS_SEALED;
    limit(4, 0); limit(1, $blocks * 1024); limit(6, $processes); limit(2, $memory * 1024);
    filter();
    if ($user == 0) {
        # PR_CAPBSET_READ, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS: as root of a new namespace it inherits none.
        for (my $right = 0; syscall($prctl, 23, $right, 0, 0, 0) >= 0; $right++) {
            syscall($prctl, 24, $right, 0, 0, 0) == 0 or die "rights: $!\n";
        }
        syscall($prctl, 38, 1, 0, 0, 0) == 0 or die "no new privileges: $!\n";
    } else {
        syscall($unshare, 0x10000000) == 0 or die "unshare: $!\n";
        put("/proc/self/setgroups", "deny") and put("/proc/self/uid_map", "$user 0 1")
            and put("/proc/self/gid_map", "$group 0 1") or die "user: $!\n";
    }
    syswrite(IS_MAPPED, "1");
    sysread(SEALED, my $end, 1);
    open(STDIN, "<", "/dev/null"); open(STDOUT, ">&5"); open(STDERR, ">&6");
    syscall($close, $_) for 3 .. 6;
    exec { $bash } $bash, "--noprofile", "--norc", "/run/north/start";
    exit 127;
}
syscall($close, $_) for 5, 6;
close IS_MAPPED; close SEALED;
# Only now: its user namespace is set up through /proc.
sysread(MAPPED, my $byte, 1) or die "the command could not be started\n";
restrict("/proc", 1) or die "/proc cannot be made read-only: $!\n";
close IS_SEALED;
# Orphans end here as well.
do { $ended = wait } until $ended == $child;
$code = $? & 127 ? 128 + ($? & 127) : $? >> 8;
# Until nobody is left who could write: what was changed is read next.
wait while kill 9, -1;

print "\0exited\0$code\0", text("/proc/self/net/snmp"), text("/proc/self/net/snmp6"), "\0";
# Starts no program: what PATH leads to below /run is the command's by now.
my ($used) = grep { (lstat)[8] && readlink eq "${NO_SERVICE}" } @services;
print defined $used ? $used : "", "\0";
while (defined(my $place = <ORDERS>)) {
    chomp $place;
    print lstat $place ? "1\0" : "0\0";
}
`;

/** `undefined` without Perl, and on machines whose system calls North does not know. */
export function supervisorProgram(
    architecture: NodeJS.Architecture = process.arch
): string | undefined {
    // Of all that is usually installed only Perl can make any system call.
    if (!isKnown(architecture) || !findProgram("perl", SYSTEM_PATH)) return undefined;
    const filter = filterInNamespaces(architecture);
    return `${declareCalls(architecture)}\nsub filter { ${filter} }\n${PROGRAM}`;
}
