#!/bin/busybox sh
# The guest's first process: loads the modules and shows the host's files, with a tmpfs over them that takes what is
# written. Then it runs one module of the tests as root, or hands over to systemd with the product installed.
# The kernel's command line says which: table.folder= (the repository), table.python=, table.prefix= (where its
# library is), table.packages= (site-packages), table.run= (a module), and table.init=systemd.
B=/bin/busybox
$B mount -t proc proc /proc
$B mount -t sysfs sys /sys
$B mount -t devtmpfs dev /dev
for word in $($B cat /proc/cmdline); do
    case $word in
    table.folder=*) folder=${word#*=} ;;
    table.python=*) python=${word#*=} ;;
    table.prefix=*) prefix=${word#*=} ;;
    table.packages=*) packages=${word#*=} ;;
    table.run=*) run=${word#*=} ;;
    table.init=*) init=${word#*=} ;;
    esac
done
for module in $($B cat /modules/order); do
    $B insmod "/modules/$module" || echo "module $module cannot be loaded"
done
$B mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=262144 host /host || echo "no files of the host"
$B mkdir -p /upper /guest
$B mount -t tmpfs -o mode=755 upper /upper
$B mkdir /upper/changes /upper/work
$B mount -t overlay -o lowerdir=/host,upperdir=/upper/changes,workdir=/upper/work overlay /guest || echo "no overlay"
for seen in proc sys dev; do
    $B mount --move /$seen /guest/$seen
done
$B mount -t tmpfs -o mode=1777 tmp /guest/tmp
$B mount -t tmpfs -o mode=755 run /guest/run
# gpiozero and rpi-lgpio ask which Raspberry Pi this is: a Pi 4.
$B sed '$a Revision\t: c04170' /guest/proc/cpuinfo > /guest/run/cpuinfo
$B mount --bind /guest/run/cpuinfo /guest/proc/cpuinfo

if [ "$init" = systemd ]; then
    table=/guest/opt/smugglers-table
    $B mkdir -p $table/source $table/packages $table/.venv/bin /guest/var/lib/smugglers-table
    $B mount --bind "/guest$folder" $table/source
    $B mount --bind "/guest$packages" $table/packages
    # Python is shown under /opt too: its own folder may lie in a home, which the unit cannot see.
    $B mkdir -p /guest/opt/python
    $B mount --bind "/guest$prefix" /guest/opt/python
    $B ln -s "/opt/python/bin/${python##*/}" $table/.venv/bin/python
    printf '#!%s\nfrom appliance.cli import main\nmain()\n' /opt/smugglers-table/.venv/bin/python > $table/.venv/bin/smugglers
    $B chmod 755 $table/.venv/bin/smugglers
    # The account, the groups and the pins' owner, as installation and Raspberry Pi OS' udev rules make them.
    echo 'smugglers:x:990:990::/nonexistent:/usr/sbin/nologin' >> /guest/etc/passwd
    echo 'smugglers:x:990:' >> /guest/etc/group
    for group in gpio:991 spi:992; do
        $B grep -q "^${group%:*}:" /guest/etc/group || echo "${group%:*}:x:${group#*:}:" >> /guest/etc/group
    done
    $B chroot /guest chgrp gpio /dev/gpiochip0
    $B chmod 660 /guest/dev/gpiochip0
    $B mount -t ext4 /guest/dev/vda /guest/var/lib/smugglers-table || echo "no disk"
    units=/guest/etc/systemd/system
    $B cp $table/source/systemd/smugglers-table.service $units/
    $B mkdir -p $units/smugglers-table.service.d /guest/etc/systemd/system.conf.d
    # Which Raspberry Pi this is: a unit with ProtectProc= sees a proc of its own.
    printf '[Service]\nBindReadOnlyPaths=/run/cpuinfo:/proc/cpuinfo\nEnvironment=RPI_LGPIO_REVISION=c04170 RPI_LGPIO_CHIP=0\n' \
        > $units/smugglers-table.service.d/guest.conf
    printf 'PYTHONPATH=/opt/smugglers-table/source:/opt/smugglers-table/packages\nSMUGGLERS_CAMERA=none\n' \
        > /guest/etc/default/smugglers-table
    printf '[Unit]\nDescription=the test\nAfter=smugglers-table.service\n[Service]\nType=oneshot\nTimeoutStartSec=infinity\nWorkingDirectory=/opt/smugglers-table/source\nEnvironmentFile=/etc/default/smugglers-table\nEnvironment=PYTHONDONTWRITEBYTECODE=1\nExecStart=%s -m %s\nStandardOutput=file:/dev/console\nStandardError=file:/dev/console\n' \
        /opt/smugglers-table/.venv/bin/python "$run" > $units/table-test.service
    printf '[Unit]\nDescription=the table and its test\nRequires=basic.target\nAfter=basic.target\nWants=smugglers-table.service table-test.service\n' \
        > $units/table-test.target
    printf '[Manager]\nRuntimeWatchdogSec=15\nDefaultDeviceTimeoutSec=5\n' > /guest/etc/systemd/system.conf.d/table.conf
    for unneeded in systemd-timesyncd.service systemd-pstore.service systemd-journal-flush.service; do
        $B ln -sf /dev/null $units/$unneeded
    done
    # A file that a container left behind would make systemd ignore the kernel's command line.
    $B rm -f /guest/.dockerenv
    exec $B switch_root /guest /lib/systemd/systemd --unit=table-test.target
fi
$B chroot /guest /bin/sh -c "cd $folder && HOME=/run PYTHONPATH=$folder:$packages PYTHONDONTWRITEBYTECODE=1 \
    RPI_LGPIO_REVISION=c04170 RPI_LGPIO_CHIP=0 exec $python -m $run >/dev/console 2>&1" || echo "the guest's part failed"
$B poweroff -f
