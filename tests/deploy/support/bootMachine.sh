# Boots systemd as process 1 of new namespaces, on a copy of this machine's files that vanishes with them. Without arguments from
# outside: machine.ts runs it with unshare, and names an empty folder and the repository.
set -eu
root=$1
repository=$2
mount -t tmpfs tmpfs "$root"
mkdir "$root/upper" "$root/work" "$root/machine" "$root/upper-repository" "$root/work-repository"
mount -t overlay -o "lowerdir=/,upperdir=$root/upper,workdir=$root/work" overlay "$root/machine"
cd "$root/machine"

# None of this machine's own units, disks and devices. The log is the only service.
rm -rf etc/fstab etc/systemd/system/*.wants usr/lib/systemd/system/*.wants
mkdir usr/lib/systemd/system/sockets.target.wants
ln -s ../systemd-journald.socket ../systemd-journald-dev-log.socket usr/lib/systemd/system/sockets.target.wants/
mount -t proc proc proc
mount --bind -o ro proc/sys proc/sys
mount -t sysfs -o ro sysfs sys
[ "$(stat -f -c %T sys/fs/cgroup)" = sysfs ] || umount -R sys/fs/cgroup
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs tmpfs dev
mkdir dev/shm dev/pts dev/mqueue
ln -s pts/ptmx dev/ptmx
for device in null zero full random urandom tty; do
  touch "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
# It may be below /tmp, or on a file system of its own.
mkdir -p ".$repository"
mount -t overlay -o "lowerdir=$repository,upperdir=$root/upper-repository,workdir=$root/work-repository" overlay ".$repository"
ip link set lo up

# A unit with PrivateUsers= would fail in a chroot.
pivot_root . mnt
umount --lazy /mnt
# As in any container, mounts of a service, such as its credentials, reach this namespace.
mount --make-rshared /
exec env -i container=unshare PATH="$PATH" /lib/systemd/systemd --system --unit=multi-user.target --log-target=console
