import { argumentsOf, needs, network, other, type ProgramCall, type Fact } from "./facts.js";

const ANY = /^/;
const PUBLISHES = other("publishes");
const CLOUD = other("deletes from the cloud");
const CLUSTER = other("deletes from the cluster");
const INFRASTRUCTURE = other("destroys infrastructure");
export const DATABASE = other("deletes from a database");
export const PROCESSES = other("stops processes");
const SERVICES = other("changes services");
const SHUTDOWN = other("shuts the machine down");
export const DISK = other("formats a disk");
const PACKAGES = other("uninstalls packages from the machine");
export const INSTALLS = other("installs on the machine");
const MACHINE = other("changes the machine");
const SETTINGS = other("changes settings outside the project");
export const LATER = other("leaves something to run later");
const CONTAINERS = other("deletes containers, images or volumes");
const STOPS = other("stops containers");
const GITHUB = other("publishes on GitHub");
const SENDS = other("sends data to another machine");

/** What containment lacks, after the program's name. */
const NETWORK = needs("needs the network");
/** Speaks HTTP and needs no credentials: works with hosts that are allowed one by one. */
const HOSTS = network("");
const DAEMON = needs("needs the container engine");
const MANAGER = needs("needs the machine's services");
const OUTSIDE = needs("acts on other processes");
const SCHEDULE = needs("needs the machine's schedule");
const RIGHTS = needs("needs more privileges");

type ProgramRule = readonly [programs: string, words: RegExp, ...facts: readonly Fact[]];

/** Program names, a pattern for their first words without options, and what is known of the call. */
const RULES: readonly ProgramRule[] = [
    // Processes, services and the machine.
    ["pkill killall fuser", ANY, PROCESSES, OUTSIDE],
    ["systemctl", /^(?!status|show|list-|is-|cat|get-)\w/, SERVICES],
    ["service", / (start|stop|restart|reload)\b/, SERVICES],
    ["launchctl", /^(?!list|print|blame|dumpstate)\w/, LATER],
    ["systemctl service launchctl", ANY, MANAGER],
    ["shutdown reboot poweroff halt telinit", ANY, SHUTDOWN, RIGHTS],
    ["systemctl loginctl", /^(poweroff|reboot|halt|kexec|suspend|hibernate)/, SHUTDOWN],
    ["init", /^[06]\b/, SHUTDOWN],
    ["at batch systemd-run", ANY, LATER, SCHEDULE],
    ["crontab", ANY, SCHEDULE],
    ["mkfs wipefs fdisk sfdisk parted mkswap", ANY, DISK],
    ["diskutil", /^(erase|partition|zero|reformat)/i, DISK],
    ["umount modprobe insmod rmmod swapoff iptables nft ufw useradd usermod", /./, MACHINE],
    ["mount passwd chsh visudo hostnamectl timedatectl update-alternatives", /./, MACHINE],
    ["defaults gsettings dconf", /^(write|delete|set|reset)\b/, SETTINGS],
    ["userdel", ANY, other("deletes a user")],
    // Clusters, clouds and containers.
    ["kubectl k", /^(delete|drain)\b/, CLUSTER],
    ["kubectl k", /^rollout undo\b/, other("changes the cluster")],
    ["kubectl k", /^(?!config|kustomize|completion|version)\w/, NETWORK],
    ["oc", /^delete\b/, CLUSTER],
    ["helm", /^(uninstall|delete|rollback)\b/, CLUSTER],
    ["helm", /^(install|upgrade|uninstall|delete|rollback|list|ls|status|pull|push)\b/, NETWORK],
    ["terraform tofu", /^(destroy|apply)\b/, INFRASTRUCTURE],
    ["terraform tofu", /^(init|plan|apply|destroy|import|refresh)\b/, NETWORK],
    ["terraform", /^state rm\b/, INFRASTRUCTURE],
    ["terragrunt", /^(destroy|apply|run-all)\b/, INFRASTRUCTURE],
    ["pulumi", /^(destroy|up)\b/, INFRASTRUCTURE],
    ["cdk", /^destroy\b/, INFRASTRUCTURE],
    ["aws", /^s3 (rm|rb)\b/, CLOUD],
    ["aws", /^s3 (cp|mv|sync)\b/, SENDS],
    ["aws", /^\S+ (delete|terminate|remove|deregister)-/, CLOUD],
    ["aws npm pnpm yarn pip poetry bundle", /^config(ure)? (set|delete|unset|edit)\b/, SETTINGS],
    ["gcloud", / delete\b/, CLOUD],
    ["gsutil", /^(rm|rb)\b/, CLOUD],
    ["gsutil rclone", /^(cp|mv|copy|move|sync|rsync)\b/, SENDS],
    ["az", / (delete|purge)\b/, CLOUD],
    ["doctl", / (delete|destroy)\b/, CLOUD],
    ["heroku", /^\S+:(destroy|reset)\b/, CLOUD],
    ["fly flyctl", / ?destroy\b/, CLOUD],
    ["vercel", /^(rm|remove)\b/, CLOUD],
    ["vercel", /^(?:deploy\b|$)/, PUBLISHES],
    ["cdk fly flyctl", /^deploy\b/, PUBLISHES],
    ["aws gcloud gsutil az doctl heroku fly flyctl vercel", ANY, NETWORK],
    ["docker podman", /^(rmi?|system prune|(volume|image|container) (rm|prune))\b/, CONTAINERS],
    ["docker podman", /^(stop|kill|restart|(container|compose) (stop|kill|down))\b/, STOPS],
    ["docker podman", /^(?!compose config|context|completion)\w/, DAEMON],
    ["docker-compose", ANY, DAEMON],
    ["docker podman helm", /^push\b/, PUBLISHES],
    // Other machines.
    ["gh", /^\S+ delete\b/, other("deletes on GitHub")],
    ["gh", /^(release|pr|issue|repo|gist) (create|edit|merge|comment|close|upload)\b/, GITHUB],
    ["gh glab ssh scp sftp ssh-copy-id", ANY, NETWORK],
    ["scp sftp", ANY, other("copies files to or from another machine")],
    ["ssh-copy-id ftp lftp telnet mail mutt sendmail msmtp", ANY, SENDS],
    ["ssh-add", ANY, needs("needs your SSH agent")],
    ["gpg gpg2", ANY, needs("needs your keys")],
    ["dropdb dropuser", ANY, DATABASE],
    // Packages.
    ["npm", /^(publish|unpublish|deprecate|dist-tag)\b/, PUBLISHES],
    ["pnpm vsce", /^(publish|unpublish)\b/, PUBLISHES],
    ["yarn", /^(npm )?publish\b/, PUBLISHES],
    ["bun poetry uv", /^publish\b/, PUBLISHES],
    ["cargo", /^(publish|yank)\b/, PUBLISHES],
    ["twine", /^upload\b/, PUBLISHES],
    ["gem", /^(push|yank)\b/, PUBLISHES],
    ["npm", /^(publish|login)\b/, NETWORK],
    ["npm", /^(install|i|ci|add|update|upgrade|outdated|audit|view)\b/, HOSTS],
    ["pnpm bun yarn", /^publish\b/, NETWORK],
    ["pnpm bun", /^(install|i|add|update|up|outdated|audit)\b/, HOSTS],
    ["yarn", /^(?:$|(install|add|upgrade|up|outdated|audit)\b)/, HOSTS],
    ["pip", /^(install|download|search)\b/, HOSTS],
    ["uv", /^(sync|add|lock|pip (install|download|sync|compile)|tool (install|upgrade))\b/, HOSTS],
    ["poetry", /^publish\b/, NETWORK],
    ["poetry", /^(install|add|update|lock)\b/, HOSTS],
    ["cargo", /^(publish|login)\b/, NETWORK],
    ["cargo", /^(install|add|update|fetch|search)\b/, HOSTS],
    ["go", /^(get|mod download|install \S*@)/, HOSTS],
    ["gem", /^push\b/, NETWORK],
    ["gem", /^(install|update)\b/, HOSTS],
    ["bundle", /^(install|update)\b/, HOSTS],
    ["composer", /^(install|update|require)\b/, HOSTS],
    ["cargo go gem pipx", /^install\b/, INSTALLS],
    ["make gmake ninja", /\binstall\b/, INSTALLS],
    ["apt apt-get dnf yum brew", /^(remove|purge|autoremove|erase|uninstall)\b/, PACKAGES],
    ["apt apt-get dnf yum brew apk snap", /^(install|upgrade|update|add|full-upgrade)\b/, INSTALLS],
    ["apt apt-get", /^(download|source|changelog)\b/, HOSTS],
    [
        "apt apt-get dnf yum brew apk snap pacman",
        /^(?!list|show|search|info|policy|r?depends|download|source|changelog)\w/,
        RIGHTS,
    ],
];

/** What is known of a program by its name and first words. */
export function ruleFacts({ name, args }: ProgramCall): readonly Fact[] {
    const { has, operands } = argumentsOf(args, VALUED, LONG_VALUED);
    const [first, ...more] = operands.slice(0, 6).map(({ text }) => text);
    const text = [first, ...more].join(" ");
    return RULES.flatMap(([programs, words, ...facts]) => {
        if (!programs.split(" ").includes(name) || !words.test(text)) return [];
        const isOffline = has("offline", "no-index", "local");
        const called = callName(name, words, first);
        return facts.flatMap((fact) => {
            if (fact.kind === "network") return isOffline ? [] : network(called);
            if (fact.kind !== "needs") return fact;
            return isOffline ? [] : needs(`${called} ${fact.text}`);
        });
    });
}

/** `npm install`, where the rule depends on the word. */
function callName(name: string, words: RegExp, first = ""): string {
    return words === ANY || first === "" ? name : `${name} ${first}`;
}

/** Options with a separate value that may precede a subcommand: `kubectl -n name delete`. */
export const VALUED = "nCHw";
export const LONG_VALUED = new Set(
    "prefix workspace filter cwd dir context namespace project region profile registry host file".split(
        " "
    )
);
