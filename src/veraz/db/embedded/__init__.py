"""A PostgreSQL of our own under home, shared by every Veraz process of that home.

keep       for processes that stay: started again when it was killed
share      who uses it: joined by the first process, stopped by the last, counted by the kernel
server     one server over one data folder: made, started, asked, stopped
data       the data folder: made once, complete or not at all
place      its files: data, socket, log, access rules
account    the system user that runs it, and the programs that user can reach
lock       files whose locks end with the process that holds them
"""

from veraz.db.embedded.keep import kept
from veraz.db.embedded.server import ServerAddress
from veraz.db.embedded.share import join, leave, revive, running

__all__ = ["ServerAddress", "join", "kept", "leave", "revive", "running"]
