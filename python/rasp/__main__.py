"""`python -m rasp …` is the command `rasp` of this package."""

import os
import sys

from ._lib import COMMAND

os.execv(COMMAND, [COMMAND, *sys.argv[1:]])
