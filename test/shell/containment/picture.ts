import { execFileSync } from "node:child_process";

/** Every file but North's own layers: path, mode and content. */
export function pictureOf(top: string): string[] {
    const listing = execFileSync(
        "bash",
        [
            "-c",
            'shopt -s nullglob; cd "$1" && find . \\( -path ./home/data -o -path ./tmp \\) -prune -o -type f -exec sha256sum {} + | sort; find . \\( -path ./home/data -o -path ./tmp \\) -prune -o -printf "%p %m %l\\n" | sort; ls -ld --time-style=full-iso /etc /etc/* /usr /mnt /mnt/*',
            "-",
            top,
        ],
        { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }
    );
    return listing.split("\n");
}
