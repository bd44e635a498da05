#!/bin/busybox sh
# The guest's first process. It loads the modules. Then one of two ways, as the kernel's command line says:
#   table.root=host  shows the host's files with a tmpfs over them that takes what is written, and runs one module of the
#                    tests as root. table.folder= (the repository), table.python=, table.packages= (site-packages),
#                    table.run= (a module).
#   table.root=disk  hands over to systemd on the disk, where the product is installed from its package; one module of the
#                    tests runs beside it as a unit. table.folder=, table.run=, and what the table is told:
#                    table.calibration= (a folder of the host) and table.settings= (a list).
B=/bin/busybox
$B mount -t proc proc /proc
$B mount -t sysfs sys /sys
$B mount -t devtmpfs dev /dev
settings=SMUGGLERS_CAMERA=none
for word in $($B cat /proc/cmdline); do
    case $word in
    table.root=*) root=${word#*=} ;;
    table.folder=*) folder=${word#*=} ;;
    table.python=*) python=${word#*=} ;;
    table.packages=*) packages=${word#*=} ;;
    table.run=*) run=${word#*=} ;;
    table.calibration=*) calibration=${word#*=} ;;
    table.skips=*) skips=${word#*=} ;;
    table.settings=*) settings=${word#*=} ;;
    esac
done
if [ -n "$skips" ]; then # see VirtualMachine's `skips`: whoever leads the guest's time ends this process
    while :; do :; done &
    awake=$!
    $B renice -n 19 -p "$awake"
fi
while read -r module words; do
    $B insmod "/modules/$module" $words || echo "module $module cannot be loaded"
done < /modules/order
$B mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=262144 host /host || echo "no files of the host"
if [ "$root" = disk ]; then
    $B mount -t ext4 -o noatime /dev/vda /guest || echo "no disk"
else
    $B mkdir -p /upper
    $B mount -t tmpfs -o mode=755 upper /upper
    $B mkdir /upper/changes /upper/work
    $B mount -t overlay -o lowerdir=/host,upperdir=/upper/changes,workdir=/upper/work overlay /guest || echo "no overlay"
fi
for seen in proc sys dev; do
    $B mount --move /$seen /guest/$seen
done
# Over the host's files the overlay takes what is written, and the repository may lie in the host's /tmp.
[ "$root" != disk ] || $B mount -t tmpfs -o mode=1777 tmp /guest/tmp
$B mount -t tmpfs -o mode=755 run /guest/run
[ -z "$awake" ] || echo "$awake" > /guest/run/kept-awake
# gpiozero and rpi-lgpio ask which Raspberry Pi this is: a Pi 4.
$B sed '$a Revision\t: c04170' /guest/proc/cpuinfo > /guest/run/cpuinfo
$B mount --bind /guest/run/cpuinfo /guest/proc/cpuinfo

if [ "$root" != disk ]; then
    $B chroot /guest /bin/sh -c "cd $folder && HOME=/run PYTHONPATH=$folder:$packages PYTHONDONTWRITEBYTECODE=1 \
        RPI_LGPIO_REVISION=c04170 RPI_LGPIO_CHIP=0 exec $python -m $run >/dev/console 2>&1" || echo "the guest's part failed"
    $B poweroff -f
fi

# What is installed stays as the package laid it. Added are the tests, what says which Raspberry Pi this is (a unit with
# ProtectProc= sees a proc of its own), the owner's settings and calibration.
$B mkdir -p /guest/opt/table-tests/tests
$B mount --bind "/host$folder/tests" /guest/opt/table-tests/tests
units=/guest/etc/systemd/system
$B mkdir -p $units/smugglers-table.service.d $units/multi-user.target.wants
$B cat > $units/smugglers-table.service.d/guest.conf <<'END'
[Service]
BindReadOnlyPaths=/run/cpuinfo:/proc/cpuinfo
Environment=RPI_LGPIO_REVISION=c04170 RPI_LGPIO_CHIP=0
END
$B echo "$settings" | $B tr , '\n' > /guest/etc/default/smugglers-table
if [ -n "$calibration" ]; then
    $B mkdir -p /guest/var/lib/smugglers-table
    $B cp "/host$calibration"/*.toml /guest/var/lib/smugglers-table/
    $B chroot /guest /bin/chown -R smugglers:smugglers /var/lib/smugglers-table
fi
$B cat > $units/table-test.service <<END
[Unit]
Description=the test
[Service]
Type=exec
TimeoutStartSec=infinity
Nice=-15
WorkingDirectory=/opt/table-tests
Environment=PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=/opt/table-tests
ExecStart=/opt/smugglers-table/current/python3.11/bin/python3 -m $run
StandardOutput=file:/dev/console
StandardError=file:/dev/console
END
$B ln -sf ../table-test.service $units/multi-user.target.wants/table-test.service
for unneeded in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service \
    fstrim.timer systemd-pstore.service; do
    $B ln -sf /dev/null "$units/$unneeded"
done
exec $B switch_root /guest /sbin/init
