# shellcheck shell=bash
# help.sh: sourced by every script that people call. With -h or --help the script prints the comment at
# its top and ends, before it installs or builds anything.
case " $* " in
  *" --help "* | *" -h "*)
    sed -n '2,${/^#/!q;s/^# \{0,1\}//p}' "$0"
    exit 0
    ;;
esac
